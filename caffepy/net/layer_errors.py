"""Adds the position in the prototxt, the name and the type of a layer to its errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from google.protobuf.message import Message

from caffepy.errors import (
    NUL_IN_NAME,
    DataError,
    LayerError,
    first_line,
    nul_in_name,
    out_of_memory,
)
from caffepy.proto.fields import odd_floats


@contextmanager
def layer_errors(
    name: str, type_name: str, place: Callable[..., str], param: Message | None = None
) -> Iterator[None]:
    """Name the layer in a LayerError or DataError raised inside.

    ``place``: ``file:line:column`` of a path in its message, or "". ``param``: the
    caffe.LayerParameter. If the layer cannot compute with a number in it that is NaN, infinite or
    huge, the error names the field.
    """
    try:
        yield
    except LayerError as e:
        raise type(e)(_prefixed(place(*e.path), name, type_name, e)) from e.__cause__
    except DataError as e:
        raise DataError(_prefixed(place(), name, type_name, e)) from None
    except (ValueError, ArithmeticError, MemoryError, RuntimeError) as e:
        if nul_in_name(e):
            raise DataError(_prefixed(place(), name, type_name, NUL_IN_NAME)) from e
        odd = (
            next(odd_floats(param, skip=frozenset({"blobs"})), None) if param is not None else None
        )
        if odd is not None:
            path, value = odd
            field = [part for part in path if isinstance(part, str)][-1]
            said = (
                f"{field} is {value:g}; needed: a number that this layer can compute with"
                f" ({first_line(e)})"
            )
            raise LayerError(_prefixed(place(*path), name, type_name, said)) from e
        if not out_of_memory(e):
            raise
        said = first_line(e)
        raise LayerError(_prefixed(place(), name, type_name, f"not enough memory: {said}")) from e


def _prefixed(place: str, name: str, type_name: str, error: object) -> str:
    return f"{place}: layer '{name}' ({type_name}): {error}".removeprefix(": ")
