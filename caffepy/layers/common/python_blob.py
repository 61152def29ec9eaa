"""Blobs as layers written in Python find them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.layers.common.array_text import array_text
from caffepy.layers.core.base import Shape
from caffepy.layers.core.legacy_shape import LegacyShape

Array = npt.NDArray[np.float32]


class PythonBlob(LegacyShape):
    """A blob inside a user's layer: writable float32 arrays ``data`` and ``diff`` of one shape."""

    kept = False
    """Whether the user's layer keeps the memory of the values.

    If so, the memory stays the blob's.
    """

    def __init__(self, shape: Sequence[int] = (), *, data: Array | None = None) -> None:
        self._data: Array = np.zeros(tuple(shape), np.float32) if data is None else data
        self._diff: Array | None = None

    def __repr__(self) -> str:
        return f"<Blob {array_text(self._data)}>"

    @property
    def data(self) -> Array:
        """Values. To be written into, ``data[...] = values``, as they lie where the net looks."""
        return self._data

    @data.setter
    def data(self, values: object) -> None:
        raise AttributeError(
            "blob.data = values would put nothing into the net; needed: blob.data[...] = values"
        )

    def use_memory(self, data: Array) -> None:
        """Take these values, and their memory unless the user's layer keeps that of others."""
        shaped = data.reshape(self.shape) if data.size == self.count else data
        if self.kept:
            self._data[...] = shaped
        else:
            self._data = shaped

    def note_references(self) -> None:
        """Find out whether the user's layer has arrays in the memory of the values."""
        self.kept = self._references() > PythonBlob(self.shape)._references()

    def _references(self) -> int:
        memory = self._data if self._data.base is None else self._data.base
        return sys.getrefcount(memory)

    @property
    def diff(self) -> Array:
        """Gradient; zeros until something writes it."""
        if self._diff is None or self._diff.shape != self.data.shape:
            self._diff = np.zeros(self.data.shape, np.float32)
        return self._diff

    @diff.setter
    def diff(self, values: object) -> None:
        raise AttributeError(
            "blob.diff = values would put nothing into the net; needed: blob.diff[...] = values"
        )

    @property
    def shape(self) -> Shape:
        """Length of each axis."""
        return tuple(self.data.shape)

    @property
    def count(self) -> int:
        """Number of elements."""
        return int(self.data.size)

    def reshape(self, *shape: int) -> None:
        """Another shape; values and gradient stay where they are not to become more."""
        wanted = _lengths("reshape", shape)
        if wanted != self.shape:
            self._data = _reshaped(self._data, wanted)
            self._diff = None if self._diff is None else _reshaped(self._diff, wanted)


def _lengths(method: str, given: Sequence[Any]) -> Shape:
    called = f"{method}({', '.join(map(repr, given))})"
    try:
        shape = tuple(int(n) for n in given)
    except (TypeError, ValueError):
        raise TypeError(
            f"{called}; needed: the length of each axis, as by {method}(*shape)"
        ) from None
    if shape != tuple(given) or min(shape, default=0) < 0:
        raise ValueError(f"{called}; needed: whole numbers of at least 0")
    return shape


def _reshaped(array: Array, shape: Shape) -> Array:
    count = int(np.prod(shape))
    return (
        array.reshape(-1)[:count].reshape(shape)
        if count <= array.size
        else np.zeros(shape, np.float32)
    )


class PythonBlobs(list[PythonBlob]):
    """The parameter blobs of a user's layer."""

    def add_blob(self, *shape: int) -> None:
        """A new parameter of this shape, zeros; to be called in ``setup``."""
        self.append(PythonBlob(_lengths("add_blob", shape)))
