"""Memory for batches, reused once nothing refers to the batch that was made in it."""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt
import torch

Floats = npt.NDArray[np.float32]

# references to an array that only the pool holds: the list's and getrefcount's own argument
_FREE = 2


class BufferPool:
    """Hands out float32 arrays, and reuses them.

    New memory costs a page fault for every 4 KiB, as much time as the transformation itself. An
    array is free again when no tensor, view or other reference to it is left. ``pinned``:
    page-locked memory, from which a GPU copies while it computes; set it before the first batch.
    """

    def __init__(self) -> None:
        self.pinned = False
        self._arrays: list[Floats] = []

    def take(self, shape: tuple[int, ...]) -> Floats:
        """An array of this shape, its values undefined."""
        for i in range(len(self._arrays)):
            if sys.getrefcount(self._arrays[i]) == _FREE:
                if self._arrays[i].shape == shape:
                    return self._arrays[i]
                # the size of batches has changed
                self._arrays[i] = self._new(shape)
                return self._arrays[i]
        self._arrays.append(self._new(shape))
        return self._arrays[-1]

    def _new(self, shape: tuple[int, ...]) -> Floats:
        if not self.pinned:
            return np.empty(shape, np.float32)
        array: Floats = torch.empty(shape, pin_memory=True).numpy()
        return array
