"""The random stream of Caffe on the CPU: mt19937 read through Boost 1.74's distributions for float.

Every value is the one that the real Caffe draws from the same seed, and every call leaves the
stream where Caffe leaves it: nothing is kept between calls but the twister's state.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.data.c_rand import CRand
from caffepy.data.random import DRAW, Mt19937, uniform_range
from caffepy.float32 import Floats, fused
from caffepy.layers.core.ziggurat import Draws, normals

_BLOCK = 1 << 15  # draws worked on at once, so that they stay in the cache


class CaffeRandom(Mt19937):
    """What Caffe's ``caffe_rng_*`` functions draw from.

    It is one stream for weights, dropout masks and seeds of data layers.

    ``state()`` and ``restore()`` (JSON-able) resume any sequence of calls exactly. ``seeded``:
    somebody can expect certain numbers. ``c_rand``: C's own ``rand()``, which no seed reaches: all
    nets that share this object shuffle HDF5 rows with it, in the order of their calls.
    """

    def __init__(self, seed: int | None, c_rand: CRand | None = None) -> None:
        """``seed``: taken modulo 2**32; None: one from the system, another in each run."""
        super().__init__(int.from_bytes(os.urandom(4), "little") if seed is None else seed)
        self.seeded = seed is not None
        self.c_rand = c_rand or CRand()

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state`."""
        super().restore(state)
        self.seeded = True

    def uniform(self, n: int, a: float, b: float, *, out: Floats | None = None) -> Floats:
        """``n`` values from ``a`` to ``b``, both included.

        ``out``: (n,) float32 array to fill and return. ValueError unless a is finite, below the
        largest float and <= b.
        Source: ``caffe_rng_uniform``, ``boost::uniform_real<float>``.
        """
        low, top, factor = uniform_range(a, b)
        width = top - low

        def values(raw: Draws) -> Floats:
            numbers = fused(raw.astype(np.float32) * np.float32(DRAW), width, low)
            good = numbers < top
            return numbers if good.all() else numbers[good]

        result = np.empty(n, np.float32) if out is None else out
        self._fill(result, values)
        if factor != 1:
            result *= factor
        return result

    def gaussian(self, n: int, mean: float, std: float, *, out: Floats | None = None) -> Floats:
        """``n`` values of the normal distribution. ``out``: (n,) float32 array to fill and return.

        Source: ``caffe_rng_gaussian``, ``boost::normal_distribution<float>``.
        """
        mean32, std32 = np.float32(mean), np.float32(std)

        def values(raw: Draws) -> Floats:
            return fused(normals(raw, self.draw), std32, mean32)

        result = np.empty(n, np.float32) if out is None else out
        self._fill(result, values)
        return result

    def _fill(self, out: Floats, values: Callable[[Draws], Floats]) -> None:
        """Fill ``out`` with ``values(draws)``, without a draw too many.

        There are at most as many values as draws.
        """
        done = 0
        while done < len(out):
            with np.errstate(over="ignore", invalid="ignore"):
                numbers = values(self.raw(min(len(out) - done, _BLOCK)))
            out[done : done + len(numbers)] = numbers
            done += len(numbers)

    def bernoulli(self, n: int, p: float) -> npt.NDArray[np.uint8]:
        """``n`` times 1 with probability ``p``, else 0, as uint8.

        ``p`` 0 draws nothing from the stream. ValueError unless 0 <= p <= 1.  Source:
        ``caffe_rng_bernoulli``, ``boost::bernoulli_distribution<float>``.
        """
        if not 0 <= p <= 1:
            raise ValueError(f"probability {p}; needed: 0 to 1")
        result = np.zeros(n, np.uint8)
        if np.float32(p) == 0:
            return result
        largest = _largest_hit(np.float32(p))
        hits = result.view(np.bool_)
        for start in range(0, n, _BLOCK):
            part = hits[start : start + _BLOCK]
            np.less_equal(self.raw(len(part)), largest, out=part)
        return result


def _largest_hit(p: np.float32) -> np.uint32:
    """The largest draw whose float32 is at most ``p * 2**32``."""
    bound = np.ldexp(p, 32)
    low, high = 0, 0xFFFFFFFF
    while low < high:
        middle = (low + high + 1) // 2
        if np.float32(middle) <= bound:
            low = middle
        else:
            high = middle - 1
    return np.uint32(low)
