"""C++'s float arithmetic in Python, rounded to float32 at the same steps as in Caffe.

A processor's fused multiply-add rounds once, which is here too.
"""

from __future__ import annotations

from struct import Struct

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
_FLOAT32 = Struct("f")
_BITS32 = Struct("I")


def round32(value: float | np.floating) -> float:
    """The nearest float32 to ``value``."""
    try:
        rounded: float = _FLOAT32.unpack(_FLOAT32.pack(value))[0]  # several times as fast as numpy
    except OverflowError:
        return float(np.float32(value))
    return rounded


def next32(value: float) -> float:
    """The next larger float32; ``value``: a float32 from 0 up to the one below the largest."""
    (bits,) = _BITS32.unpack(_FLOAT32.pack(value))
    following: float = _FLOAT32.unpack(_BITS32.pack(bits + 1))[0]
    return following


def product32(one: float, other: float) -> float:
    """``one * other`` in float32."""
    return float(np.float32(one) * np.float32(other))


def quotient32(one: float, other: float) -> float:
    """``one / other`` in float32."""
    return float(np.float32(one) / np.float32(other))


def fused(a: Floats, b: np.float32, c: np.float32) -> Floats:
    """``a * b + c`` rounded once, as by a processor's fused multiply-add."""
    if c == 0:
        return a * b + c
    product = a.astype(np.float64) * np.float64(b)
    total = product + np.float64(c)
    # A double half way between two floats may be a rounded value itself, whose rounding must
    # not decide.
    ties = np.flatnonzero((total.view(np.int64) & 0x1FFFFFFF) == 0x10000000)
    if ties.size:
        p, t = product[ties], total[ties]
        lost = (p - (t - (t - p))) + (np.float64(c) - (t - p))
        total[ties] = np.where(lost == 0, t, np.nextafter(t, np.copysign(np.inf, lost)))
    return total.astype(np.float32)


def fused_one(a: float, b: float, c: float) -> float:
    """`fused` for three numbers that are float32."""
    product = a * b  # exact: 24 bits each
    total = product + c
    if (total - product == c and total - c == product) or c == 0:
        return round32(total)
    return float(fused(np.array([a], np.float32), np.float32(b), np.float32(c))[0])
