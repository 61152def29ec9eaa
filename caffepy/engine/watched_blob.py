"""A parameter's blob that knows whether a script may have written to it."""

from __future__ import annotations

import weakref
import zlib

from torch import Tensor

from caffepy.engine.blob import Array, Blob
from caffepy.engine.weights import get


class WatchedBlob(Blob):
    """A parameter that knows whether somebody may have written to it."""

    def __init__(self, data: Tensor) -> None:
        super().__init__(data)
        self._arrays: list[weakref.ref[Array]] = []

    def data_array(self) -> Array:
        array = super().data_array()
        if len(self._arrays) > 8:
            self._arrays = [
                self._arrays[0],
                *(other for other in self._arrays[1:] if other() is not None),
            ]
        self._arrays.append(weakref.ref(array))
        return array

    def may_have_changed(self) -> bool:
        """An array on its memory was given out since the last call, or is still in use."""
        given = bool(self._arrays)
        self._arrays = [array for array in self._arrays if array() is not None]
        return given

    def checksum(self) -> int:
        """A checksum of the values."""
        return zlib.crc32(get(self.data).data)
