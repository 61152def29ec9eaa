"""Messages as text, in the format of C++ ``TextFormat``.

protobuf's Python printer writes ``1.0`` where C++ writes ``1``. Fields are in number order,
indented by two spaces a level. Floats have 6 significant digits, or 9 where 6 do not give the value
back. Strings are ASCII with octal escapes. Logs and the upgrade tools print this text, and people
compare it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from caffepy.proto.fields import Field, is_message, is_repeated

ESCAPES = {
    ord("\n"): "\\n",
    ord("\r"): "\\r",
    ord("\t"): "\\t",
    ord('"'): '\\"',
    ord("'"): "\\'",
    ord("\\"): "\\\\",
}


def to_text(message: Message) -> str:
    """The text form of ``message``; empty for an empty message, else it ends with a newline."""
    return "".join(_lines(message, ""))


def float_text(value: float) -> str:
    """A float32 as C++ protobuf writes it.

    Such as ``0.1``, ``1e-05``, ``1``, ``0.333333343``, ``inf`` and ``nan``.
    """
    if not math.isfinite(value):
        return str(value)
    short = f"{value:.6g}"
    return short if _float32(float(short)) == _float32(value) else f"{value:.9g}"


def double_text(value: float) -> str:
    """A float64 likewise, with 15 or 17 digits."""
    if not math.isfinite(value):
        return str(value)
    short = f"{value:.15g}"
    return short if float(short) == value else f"{value:.17g}"


def _float32(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:  # 6 digits of the largest floats round beyond them
        return math.inf


def _lines(message: Message, indent: str) -> Iterator[str]:
    for field, value in message.ListFields():
        for item in value if is_repeated(field) else (value,):
            if is_message(field):
                yield f"{indent}{field.name} {{\n"
                yield from _lines(item, indent + "  ")
                yield f"{indent}}}\n"
            else:
                yield f"{indent}{field.name}: {_scalar(field, item)}\n"


def _scalar(field: Field, value: Any) -> str:
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return _quoted(value.encode() if isinstance(value, str) else value)
    if field.cpp_type == FieldDescriptor.CPPTYPE_FLOAT:
        return float_text(value)
    if field.cpp_type == FieldDescriptor.CPPTYPE_DOUBLE:
        return double_text(value)
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return "true" if value else "false"
    if field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
        named = field.enum_type.values_by_number.get(value)
        return named.name if named else str(value)
    return str(value)


def _quoted(value: bytes) -> str:
    return (
        '"'
        + "".join(ESCAPES.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in value)
        + '"'
    )
