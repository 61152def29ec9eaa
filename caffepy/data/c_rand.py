"""glibc's ``rand()`` and libstdc++'s ``std::random_shuffle``, by which Caffe shuffles HDF5 rows.

``rand()`` is in its first state, as of a program that never calls ``srand``.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

WORDS, LAG = 31, 3
WARM_UP = 310


@functools.cache
def first_words() -> tuple[int, ...]:
    """The words of a generator that nobody has drawn from: seed 1, the first numbers discarded."""
    words = [1]
    for _ in range(WORDS - 1):
        words.append(16807 * words[-1] % 2147483647)
    return tuple(continued(words[LAG:] + words[:LAG], WARM_UP)[WARM_UP:])


def continued(words: Sequence[int], n: int) -> list[int]:
    """``words``, 31 of them, and the ``n`` that follow."""
    words = list(words)
    for i in range(n):
        words.append((words[i] + words[i + WORDS - LAG]) & 0xFFFFFFFF)
    return words


class CRand:
    """``rand()`` of a C program that never called ``srand``.

    It is an additive feedback generator of 31 words.
    """

    def __init__(self) -> None:
        self._words: Sequence[int] = first_words()

    def draws(self, n: int) -> list[int]:
        """The next ``n`` numbers, 0 to 2**31 - 1."""
        words = continued(self._words, n)
        self._words = words[n:]
        return [word >> 1 for word in words[WORDS:]]

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
