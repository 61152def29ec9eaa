"""Memory that a thread reuses for each image.

New memory costs as much time as the work that is done in it.
"""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import numpy.typing as npt


class Scratch(threading.local):
    """Arrays by their use; each is valid until the same thread takes one for the same use again."""

    def __init__(self) -> None:
        self._bytes: dict[str, npt.NDArray[np.uint8]] = {}
        self._last: dict[str, npt.NDArray[Any]] = {}

    def take(self, use: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """An array of this shape, its values undefined."""
        last = self._last.get(use)
        if last is not None and last.shape == shape and last.dtype == dtype:
            return last
        size = math.prod(shape) * np.dtype(dtype).itemsize
        memory = self._bytes.get(use)
        if memory is None or len(memory) < size:
            memory = self._bytes[use] = np.empty(size, np.uint8)
        self._last[use] = memory[:size].view(dtype).reshape(shape)
        return self._last[use]
