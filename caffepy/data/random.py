"""Caffe's random numbers: a 32-bit Mersenne twister, as ``std::mt19937`` and ``boost::mt19937``."""

from __future__ import annotations

import base64
from functools import cached_property, lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from caffepy.float32 import fused_one, next32, round32

DRAW = 2.0**-32
"""The factor from a draw to a number from 0 to 1."""
LARGEST_FLOAT32 = np.finfo(np.float32).max


def uniform_range(a: float, b: float) -> tuple[np.float32, np.float32, np.float32]:
    """``low``, ``top`` and ``factor`` for uniform numbers from ``a`` to ``b``, both included.

    A number is ``(draw / 2**32 * (top - low) + low) * factor``. If the sum is rounded up to
    ``top``, the draw is discarded. ``factor`` is 2 if ``b - a`` is no finite float, and 1
    otherwise.

    ValueError unless ``a`` is finite, below the largest float and at most ``b``.
    """
    low, top, two = np.float32(a), np.nextafter(np.float32(b), LARGEST_FLOAT32), np.float32(2)
    if not -LARGEST_FLOAT32 <= low < top:  # no draw would be accepted
        raise ValueError(
            f"uniform from {a} to {b}; needed: a finite, below {LARGEST_FLOAT32} and at most b"
        )
    if top / two - low / two > LARGEST_FLOAT32 / two:
        return low / two, top / two, two
    return low, top, np.float32(1)


@lru_cache(maxsize=256)
def _kept_range(a: float, b: float) -> tuple[float, float, float, float]:
    """``low``, ``top``, the width between them, and ``factor`` of `uniform_range`."""
    low, top, factor = map(float, uniform_range(a, b))
    return low, top, round32(top - low), factor


class Mt19937:
    """mt19937 seeded with one 32-bit integer; draws come in numpy arrays.

    Seed 5489 gives 4123659995 as its 10000th draw, the check value of the C++ standard.
    """

    def __init__(self, seed: int) -> None:
        """``seed``: taken modulo 2**32, as C++ converts it to ``unsigned int``."""
        self._seed = seed & 0xFFFFFFFF

    @cached_property
    def _bits(self) -> np.random.MT19937:
        """The generator, made when it is first asked: many passes draw nothing."""
        bits = np.random.MT19937()
        # RandomState seeds from one integer as the C++ generators do; the bit generator itself
        # hashes its seed first.
        bits.state = cast("Any", np.random.RandomState(self._seed).get_state(legacy=False))
        return bits

    def raw(self, n: int) -> npt.NDArray[np.uint32]:
        """The next ``n`` draws, (n,) uint32."""
        return np.asarray(self._bits.random_raw(n), dtype=np.uint64).astype(np.uint32)

    def draw(self) -> int:
        """The next draw as a Python integer."""
        return int(self._bits.random_raw())

    def between(self, a: float, b: float) -> float:
        """One float32 from ``a`` to ``b``, both included.  ValueError: see `uniform_range`.

        Source: ``caffe_rng_uniform``, ``boost::uniform_real<float>``. If a draw is rounded up
        beyond ``b``, the next one is taken.
        """
        if a == 0 and 0 <= b <= 1:  # such a range is drawn from once, and needs no checks
            low = 0.0
            top = width = next32(round32(b))
            factor = 1.0
        else:
            low, top, width, factor = _kept_range(a, b)
        while True:
            value = fused_one(round32(self.draw()) * DRAW, width, low)
            if value < top:
                return value * factor

    def state(self) -> dict[str, Any]:
        """The state, JSON-able: the 624 words (base64 of little-endian uint32) and the position."""
        inner: Any = self._bits.state["state"]
        key = np.asarray(inner["key"], dtype="<u4").tobytes()
        return {"key": base64.b64encode(key).decode(), "pos": int(inner["pos"])}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from `state`."""
        key = np.frombuffer(base64.b64decode(state["key"]), dtype="<u4").astype(np.uint32)
        self._bits.state = {
            "bit_generator": "MT19937",
            "state": {"key": key, "pos": int(state["pos"])},
        }

    def shuffle(self, order: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """``order`` (n,) as Caffe's ``shuffle(begin, end, rng)`` leaves it, as a new array.

        From the last place down to the second, the item there is exchanged with that of a place
        drawn uniformly up to it. Source: ``caffe/util/rng.hpp``, with ``boost::uniform_int``.
        """
        items = order.tolist()
        places = range(len(items) - 1, 0, -1)
        for place, other in zip(
            places, self._uniform_ints(np.arange(len(items) - 1, 0, -1, dtype=np.uint64))
        ):
            items[place], items[other] = items[other], items[place]
        return np.array(items, dtype=np.int64)

    def _uniform_ints(self, highs: npt.NDArray[np.uint64]) -> list[int]:
        """One uniform integer from 0 to each of ``highs``, inclusive.

        The range of draws is cut into high + 1 equal buckets. A draw beyond the last bucket is
        discarded, and the next one taken.
        """
        integers: list[int] = []
        while len(integers) < len(highs):
            rest = highs[len(integers) :]
            before = self.state()
            values = self.raw(len(rest)).astype(np.uint64) // (
                np.uint64(1 << 32) // (rest + np.uint64(1))
            )
            bad = np.flatnonzero(values > rest)
            good = int(bad[0]) if len(bad) else len(rest)
            integers += values[:good].tolist()
            if len(bad):  # the draws after the discarded one are for other places: draw them again
                self.restore(before)
                self.raw(good + 1)
        return integers
