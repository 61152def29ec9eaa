"""Training: the loop is in `solver.py`."""
