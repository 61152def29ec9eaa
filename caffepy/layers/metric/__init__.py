"""Predicted classes, and how good predictions are."""
