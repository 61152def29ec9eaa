"""Layers that users write in Python."""
