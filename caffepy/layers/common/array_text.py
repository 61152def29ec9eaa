"""Arrays in a few words, for the ``repr`` of blobs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

MOST_READ = 1 << 24
"""Elements of an array that is read through; of a larger one only the shape is told."""


def shape_text(shape: Sequence[int]) -> str:
    """``10x3x227x227``; ``scalar`` for a shape without axes."""
    return "x".join(map(str, shape)) or "scalar"


def range_text(values: Array) -> str:
    """The least and the largest value, and how many are NaN or infinite."""
    if not values.size:
        return "no elements"
    if values.size > MOST_READ:
        return f"{values.size:,} elements"
    finite = values
    if not (np.isfinite(values.min()) and np.isfinite(values.max())):
        finite = values[np.isfinite(values)]
    missing = values.size - finite.size
    if not finite.size:
        return "all NaN or infinite"
    low, high = float(finite.min()), float(finite.max())
    spread = f"{low:.6g}" if values.size == 1 else f"all {low:.6g}"
    if low != high:
        spread = f"{low:.6g} to {high:.6g}"
    return f"{spread}, {missing:,} NaN or infinite" if missing else spread


def array_text(values: Array) -> str:
    """Shape and range: ``96x3x11x11, -0.38 to 0.41``."""
    return f"{shape_text(values.shape)}, {range_text(values)}"
