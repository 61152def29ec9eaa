"""Training: the loop is in `solver.py`, its parts in the folders."""
