"""Layers that give the elements of a bottom another shape, order or number, or sum them."""
