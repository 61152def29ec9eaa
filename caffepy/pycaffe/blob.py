"""A blob as scripts see it: live numpy views of its values and gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.engine.blob import Blob as EngineBlob
from caffepy.errors import UsageError

Array = npt.NDArray[np.float32]


class Blob:
    """``data`` and ``diff`` are writable views of the memory that the net computes with (on the CPU)."""

    def __init__(self, blob: EngineBlob) -> None:
        self._blob = blob

    @property
    def data(self) -> Array:
        """Values, shape `shape`."""
        return self._blob.data_array()

    @property
    def diff(self) -> Array:
        """Gradient, shape `shape`."""
        return self._blob.diff_array()

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each axis."""
        return tuple(self._blob.data.shape)

    @property
    def count(self) -> int:
        """Number of elements."""
        return int(self._blob.data.numel())

    def reshape(self, *shape: int) -> None:
        """Another shape; call ``Net.reshape()`` afterwards to carry it through the net."""
        if any(n < 0 for n in shape):
            raise UsageError(f"Blob.reshape{shape}: negative length; needed: 0 or more in each axis")
        self._blob.reshape(shape)

    def _legacy(self, axis: int) -> int:
        if len(self.shape) > 4:
            raise UsageError(f"a blob of {len(self.shape)} axes has no num, channels, height, width; needed: at most 4 axes")
        padded = (*self.shape, *(1,) * (4 - len(self.shape)))
        return padded[axis]

    num = property(lambda self: self._legacy(0), doc="Length of axis 0, or 1.")
    channels = property(lambda self: self._legacy(1), doc="Length of axis 1, or 1.")
    height = property(lambda self: self._legacy(2), doc="Length of axis 2, or 1.")
    width = property(lambda self: self._legacy(3), doc="Length of axis 3, or 1.")

