"""Field numbers of BVLC Caffe that a fork used for another field.

PSPNet's MatWrite has its parameters at 145, where BVLC has those of Parameter layers. If a file
does not parse, such fields are read under their numbers in the common schema.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError, Message

from caffepy.proto import wire

NUMBERS = {"LayerParameter": {145: 165}}
"""By message: BVLC's number, and that of the fork's field in the common schema."""
HOLDERS = {"NetParameter": {100: "LayerParameter"}}
"""By message: the numbers of its fields that hold one of the above."""


def add_reused_numbers(names: dict[str, Any]) -> None:
    """Make the message classes in ``names`` parse a fork's fields where BVLC's do not parse."""
    for name in (*NUMBERS, *HOLDERS):
        _wrap(names[name], names)


def _wrap(cls: type[Message], names: dict[str, Any]) -> None:
    strictly = cls.MergeFromString

    def parse(message: Message, serialized: bytes) -> int:
        """Parse a serialized message, replacing this one's content.  Raises DecodeError."""
        message.Clear()
        try:
            return int(strictly(message, serialized))
        except DecodeError:
            again = renumbered(cls.DESCRIPTOR.name, bytes(serialized), names)
            if again is None:
                raise
            message.Clear()
            strictly(message, again)
            return len(serialized)

    def from_string(serialized: bytes) -> Message:
        """The message that was serialized.  Raises DecodeError."""
        message = cls()
        parse(message, serialized)
        return message

    def merge(message: Message, serialized: bytes) -> int:
        """Merge a serialized message into this one.  Raises DecodeError."""
        message.MergeFrom(from_string(serialized))
        return len(serialized)

    methods = {
        "ParseFromString": parse,
        "MergeFromString": merge,
        "FromString": staticmethod(from_string),
    }
    for name, method in methods.items():
        setattr(cls, name, method)


def renumbered(name: str, serialized: bytes, names: dict[str, Any]) -> bytes | None:
    """The bytes of a message ``name`` with the forks' fields under the common numbers.

    None if it has none of them, or the bytes are damaged.
    """
    try:
        data = memoryview(serialized)
        chunks = _renumbered(name, data, 0, len(data), names)
    except wire.WireError:
        return None
    again = b"".join(chunks.pieces)
    return None if again == serialized else again


def _renumbered(
    name: str, data: memoryview, start: int, end: int, names: dict[str, Any]
) -> wire.Chunks:
    chunks = wire.Chunks()
    for entry in wire.scan(data, start, end):
        value = data[entry.start : entry.end]
        number = entry.number
        other = NUMBERS.get(name, {}).get(number)
        inner = HOLDERS.get(name, {}).get(number)
        if entry.kind == wire.BYTES and inner is not None:
            chunks.add_message(number, _renumbered(inner, data, entry.start, entry.end, names))
        elif (
            entry.kind == wire.BYTES
            and other is not None
            and not _parses(names[name], number, value)
            and _parses(names[name], other, value)
        ):
            chunks.add_bytes(other, value)
        else:
            chunks.add(data[entry.tag : entry.end])
    return chunks


def _parses(cls: type[Message], number: int, value: memoryview) -> bool:
    field = cls.DESCRIPTOR.fields_by_number[number]
    try:
        getattr(cls(), field.name).FromString(bytes(value))
    except DecodeError:
        return False
    return True
