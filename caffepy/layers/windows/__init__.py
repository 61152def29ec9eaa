"""Layers that go over their bottom in windows: convolutions, pooling and what undoes it."""
