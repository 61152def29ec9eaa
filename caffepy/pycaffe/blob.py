"""A blob as scripts see it: live numpy views of its values and gradient."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from math import prod
from operator import index
from typing import NoReturn, SupportsIndex, TypeVar, overload

import numpy as np
import numpy.typing as npt

from caffepy.engine.blob import Blob as EngineBlob
from caffepy.engine.layerwise import UNCHECKED
from caffepy.engine.memory import free_bytes
from caffepy.errors import nearest
from caffepy.layers.core.legacy_shape import LegacyShape
from caffepy.pycaffe.errors import ReadOnly, UnknownIndex, UnknownName, WrongType, WrongValue

Array = npt.NDArray[np.float32]
T = TypeVar("T")

LARGEST = 2**31 - 1
"""Elements of a blob, as in Caffe."""


class Blob(LegacyShape):
    """``data`` and ``diff`` are writable views of the memory that the net computes with.

    On a GPU, of a copy that goes back to it.
    """

    __slots__ = ("_blob", "_is_param")

    def __init__(self, blob: EngineBlob, *, is_param: bool = False) -> None:
        self._blob = blob
        self._is_param = is_param

    def __repr__(self) -> str:
        from caffepy.pycaffe.repr_text import blob_words

        return f"<Blob {blob_words(self._blob)}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: shape, range, and a picture of values that are one."""
        from caffepy.pycaffe.repr_html import blob_html

        return blob_html(self._blob)

    @property
    def data(self) -> Array:
        """Values, shape `shape`."""
        return self._blob.data_array()

    @data.setter
    def data(self, values: object) -> None:
        raise ReadOnly(
            "blob.data = values would put nothing into the net; needed: blob.data[...] = values"
        )

    @property
    def diff(self) -> Array:
        """Gradient, shape `shape`."""
        return self._blob.diff_array()

    @diff.setter
    def diff(self, values: object) -> None:
        raise ReadOnly(
            "blob.diff = values would put nothing into the net; needed: blob.diff[...] = values"
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each axis."""
        return self._blob.shape

    @property
    def count(self) -> int:
        """The number of its elements."""
        return prod(self._blob.shape)

    def reshape(self, *shape: int, **kwargs: object) -> None:
        """Another shape.

        The layers follow in the next ``Net.forward``, or at once in ``Net.reshape``.

        A parameter is only seen in another shape, with as many elements: its layer computes as
        before.
        """
        if kwargs:
            raise WrongType(f"Blob.reshape takes no kwargs: {', '.join(kwargs)}")
        try:
            wanted = tuple(index(n) for n in shape)
        except TypeError:
            raise WrongType(
                f"Blob.reshape{shape}; needed: whole numbers, one for each axis: reshape(1,"
                " 3, 227, 227)"
            ) from None
        size = prod(wanted)
        if min(wanted, default=0) < 0 or size > LARGEST:
            raise WrongValue(
                f"Blob.reshape{wanted}; needed: no negative length, and at most {LARGEST} elements"
            )
        if self._is_param and size != self.count:
            raise WrongValue(
                f"Blob.reshape{wanted} of a parameter of shape {self.shape}; needed: as"
                " many elements, its layer expects them"
            )
        if size > max(UNCHECKED, self.count) and 4 * size > free_bytes(self._blob.device):
            raise WrongValue(
                f"Blob.reshape{wanted} takes {4 * size / 1e9:.1f} GB; free:"
                f" {free_bytes(self._blob.device) / 1e9:.1f} GB"
            )
        if self._is_param:
            self._blob = self._blob.seen_as(wanted)
        else:
            self._blob.reshape(wanted)


class ParamBlobs(list[Blob]):
    """The parameter blobs of a layer."""

    @overload
    def __getitem__(self, at: SupportsIndex) -> Blob: ...

    @overload
    def __getitem__(self, at: slice) -> list[Blob]: ...

    def __getitem__(self, at: SupportsIndex | slice) -> Blob | list[Blob]:
        try:
            return super().__getitem__(at)
        except IndexError:
            raise UnknownIndex(
                f"a layer with {len(self)} parameter blobs has none at index {at}"
            ) from None

    def __setitem__(self, at: object, value: object) -> NoReturn:
        raise ReadOnly(
            f"params[...][{at}] = value would put nothing into the net; needed:"
            f" params[...][{at}].data[...] = values"
        )


class Named(OrderedDict[str, T]):
    """Blobs, layers or their parameters by name, in the order of the net.

    They can be written into, not replaced.
    """

    what = "blob"
    several = "blobs"

    def __init__(self, items: Mapping[str, T] | Iterable[tuple[str, T]]) -> None:
        super().__init__()
        for name, value in dict(items).items():
            super().__setitem__(name, value)

    def __repr__(self) -> str:
        from caffepy.pycaffe.repr_text import named_text

        return named_text(self.several, self)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (list(self.items()),)

    def __setitem__(self, name: str, value: T) -> None:
        raise ReadOnly(
            f"['{name}'] = value would put nothing into the net; needed: write into what is"
            f" there, ['{name}'].data[...] = values"
        )

    def __missing__(self, name: str) -> NoReturn:
        raise UnknownName(f"'{name}' is no {self.what} of this net{nearest(str(name), self)}")


class NamedLayers(Named[T]):
    """By the name of a layer."""

    what = "layer"
    several = "layers"


class NamedParams(Named[T]):
    """By the name of a layer with parameters."""

    what = "layer with parameters"
    several = "layers with parameters"
