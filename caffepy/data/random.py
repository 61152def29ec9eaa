"""The raw random stream of Caffe: a 32-bit Mersenne twister, as ``std::mt19937`` and ``boost::mt19937``."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import numpy.typing as npt


class Mt19937:
    """mt19937 seeded with one 32-bit integer; draws come in numpy arrays.

    Seed 5489 gives 4123659995 as its 10000th draw, the check value of the C++ standard.
    """

    def __init__(self, seed: int) -> None:
        """``seed``: taken modulo 2**32, as C++ converts it to ``unsigned int``."""
        self._bits: Any = np.random.MT19937()
        # RandomState seeds from one integer as the C++ generators do; the bit generator itself hashes its seed first.
        self._bits.state = np.random.RandomState(seed & 0xFFFFFFFF).get_state(legacy=False)

    def raw(self, n: int) -> npt.NDArray[np.uint32]:
        """The next ``n`` draws, (n,) uint32."""
        return np.asarray(self._bits.random_raw(n), dtype=np.uint64).astype(np.uint32)

    def draw(self) -> int:
        """The next draw as a Python integer."""
        return int(self._bits.random_raw())

    def state(self) -> dict[str, Any]:
        """Everything needed to go on from here, JSON-able: the 624 words (base64 of little-endian uint32) and the position."""
        inner = self._bits.state["state"]
        key = np.asarray(inner["key"], dtype="<u4").tobytes()
        return {"key": base64.b64encode(key).decode(), "pos": int(inner["pos"])}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        key = np.frombuffer(base64.b64decode(state["key"]), dtype="<u4").astype(np.uint32)
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": int(state["pos"])}}

    def shuffle(self, n: int) -> npt.NDArray[np.int64]:
        """The order that Caffe's ``shuffle(begin, end, rng)`` gives to ``n`` items: item ``i`` of the result is the old index.

        From the last place down to the second, each place is exchanged with a uniformly drawn one up to it.
        """
        order = list(range(n))
        for i in range(n - 1, 0, -1):
            j = self.uniform_int(i)
            order[i], order[j] = order[j], order[i]
        return np.array(order, dtype=np.int64)

    def uniform_int(self, high: int) -> int:
        """Uniform integer from 0 to ``high`` inclusive: draws are divided into equal buckets, those beyond are drawn again."""
        if high == 0:
            return 0
        if high >= 0xFFFFFFFF:
            return self.draw()
        buckets = high + 1
        size = 0x100000000 // buckets
        while True:
            found = self.draw() // size
            if found <= high:
                return found
