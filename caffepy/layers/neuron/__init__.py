"""Layers that apply one function to each element."""
