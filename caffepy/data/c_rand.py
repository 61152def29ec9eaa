"""glibc's ``rand()`` and libstdc++'s ``std::random_shuffle``, by which Caffe shuffles HDF5 rows.

``rand()`` is in its first state, as of a program that never calls ``srand``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

WORDS, LAG = 31, 3
WARM_UP = 310


class CRand:
    """``rand()`` of a C program that never called ``srand``.

    It is an additive feedback generator of 31 words.
    """

    def __init__(self) -> None:
        words = [1]
        for _ in range(WORDS - 1):
            words.append(16807 * words[-1] % 2147483647)
        self._words = words[LAG:] + words[:LAG]
        self.draws(WARM_UP)

    def draws(self, n: int) -> list[int]:
        """The next ``n`` numbers, 0 to 2**31 - 1."""
        words = self._words
        for i in range(n):
            words.append((words[i] + words[i + WORDS - LAG]) & 0xFFFFFFFF)
        numbers = [word >> 1 for word in words[WORDS:]]
        self._words = words[n:]
        return numbers

    def shuffle(self, order: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """``order`` as ``std::random_shuffle`` leaves it, a new array."""
        items = order.tolist()
        for place, drawn in enumerate(self.draws(max(0, len(items) - 1)), 1):
            other = drawn % (place + 1)
            items[place], items[other] = items[other], items[place]
        return np.array(items, dtype=np.int64)

    def state(self) -> list[int]:
        """The 31 words, JSON-able."""
        return list(self._words)

    def restore(self, state: list[int]) -> None:
        """Continue from `state`."""
        self._words = [int(word) for word in state]
