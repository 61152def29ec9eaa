"""Questions about a field that protobuf releases answer under different names."""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import FieldDescriptor

Field = Any
"""A field's descriptor; the C and the Python implementation of protobuf have no type in common."""


def is_repeated(field: Field) -> bool:
    """True for a repeated field.  ``label`` went away in protobuf 7, ``is_repeated`` came in 6."""
    known = getattr(field, "is_repeated", None)
    return bool(field.label == FieldDescriptor.LABEL_REPEATED) if known is None else bool(known)


def is_message(field: Field) -> bool:
    """True for a field that holds messages."""
    return field.message_type is not None
