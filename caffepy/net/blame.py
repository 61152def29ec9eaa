"""Errors that a layer raises get its place in the prototxt, its name and its type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from caffepy.errors import NUL_IN_NAME, DataError, LayerError, first_line, nul_in_name, out_of_memory


@contextmanager
def blame(name: str, type_name: str, place: Callable[..., str]) -> Iterator[None]:
    """Name the layer in a LayerError or DataError raised inside.  ``place``: ``file:line:column`` of a path in its message, or ""."""
    try:
        yield
    except LayerError as e:
        raise type(e)(_headed(place(*e.path), name, type_name, e)) from e.__cause__
    except DataError as e:
        raise DataError(_headed(place(), name, type_name, e)) from None
    except ValueError as e:
        if not nul_in_name(e):
            raise
        raise DataError(_headed(place(), name, type_name, NUL_IN_NAME)) from e
    except (MemoryError, RuntimeError) as e:
        if not out_of_memory(e):
            raise
        said = first_line(e)
        raise LayerError(_headed(place(), name, type_name, f"not enough memory: {said}")) from e


def _headed(place: str, name: str, type_name: str, error: object) -> str:
    return f"{place}: layer '{name}' ({type_name}): {error}".removeprefix(": ")
