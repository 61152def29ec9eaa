"""Memory that a thread uses again for each image: new memory costs as much as the work that is done in it."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import numpy.typing as npt


class Scratch(threading.local):
    """Arrays by what they are used for; each is valid until the same thread takes one for the same use again."""

    def __init__(self) -> None:
        self._bytes: dict[str, npt.NDArray[np.uint8]] = {}

    def take(self, use: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """An array of this shape, its content arbitrary."""
        size = math.prod(shape) * np.dtype(dtype).itemsize
        memory = self._bytes.get(use)
        if memory is None or len(memory) < size:
            memory = self._bytes[use] = np.empty(size, np.uint8)
        return memory[:size].view(dtype).reshape(shape)
