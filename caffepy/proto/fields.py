"""Questions about a field that protobuf releases answer under different names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

Field = Any
"""A field's descriptor; the C and the Python implementation of protobuf have no type in common."""
Pool = Any
"""A pool of descriptors, for which the same is true."""


def is_repeated(field: Field) -> bool:
    """True for a repeated field.  ``label`` went away in protobuf 7, ``is_repeated`` came in 6."""
    known = getattr(field, "is_repeated", None)
    return bool(field.label == FieldDescriptor.LABEL_REPEATED) if known is None else bool(known)


def is_message(field: Field) -> bool:
    """True for a field that holds messages."""
    return field.message_type is not None


def set_fields(
    message: Message, *, skip: frozenset[str] = frozenset()
) -> Iterator[tuple[Field, tuple[str | int, ...], Any]]:
    """Every value that is set: field, path (as in a source map), value.

    ``skip``: fields that are left out.
    """
    for field, value in message.ListFields():
        if field.name not in skip:
            if is_repeated(field):
                for index, item in enumerate(value):
                    yield field, (field.name, index), item
            else:
                yield field, (field.name,), value


def beyond_int(
    message: Message, *, skip: frozenset[str] = frozenset()
) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """Path and value of each uint32, at any depth, that C++ would turn into a negative int."""
    for field, path, item in set_fields(message, skip=skip):
        if is_message(field):
            yield from (((*path, *inner), value) for inner, value in beyond_int(item))
        elif field.type == FieldDescriptor.TYPE_UINT32 and item > 2**31 - 1:
            yield path, item


def odd_floats(
    message: Message, *, skip: frozenset[str] = frozenset()
) -> Iterator[tuple[tuple[str | int, ...], float]]:
    """Path and value of each float, at any depth, that is NaN, infinite, or no 32-bit integer.

    The last means that its integer part does not fit into 32 bits.
    """
    for field, path, item in set_fields(message, skip=skip):
        if is_message(field):
            yield from (((*path, *inner), value) for inner, value in odd_floats(item))
        elif isinstance(item, float) and not abs(item) < 2**31:
            yield path, item
