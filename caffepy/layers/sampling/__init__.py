"""Layers that read images at other places, or resize them."""
