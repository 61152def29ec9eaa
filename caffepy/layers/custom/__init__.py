"""Layers that a user writes."""
