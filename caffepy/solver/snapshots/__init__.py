"""Solver states, written beside the training and read again."""
