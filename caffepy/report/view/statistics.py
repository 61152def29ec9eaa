"""Statistics of an array: range, mean, deviation, zeros, values not finite, a histogram."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

BINS = 60
Floats = npt.NDArray[np.float32]


def statistics(values: Floats) -> dict[str, Any]:
    """Of an array of any shape; for the page."""
    flat = values.reshape(-1)
    finite = flat[np.isfinite(flat)].astype(np.float64)
    found: dict[str, Any] = {
        "count": int(flat.size),
        "zeros": int((flat == 0).sum()),
        "notFinite": int(flat.size - finite.size),
    }
    if finite.size:
        low, high = float(finite.min()), float(finite.max())
        found |= {"min": low, "max": high, "mean": float(finite.mean()), "std": float(finite.std())}
        found["histogram"] = np.histogram(finite, bins=BINS, range=widened(low, high))[0].tolist()
    return found


def widened(low: float, high: float) -> tuple[float, float]:
    """A range that has some width, also for values that are all alike."""
    if high > low:
        return low, high
    half = abs(low) / 2 or 0.5
    return low - half, high + half
