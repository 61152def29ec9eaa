"""The bottom's own elements in another shape, order or number, or summed."""
