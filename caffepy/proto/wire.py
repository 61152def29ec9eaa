"""The protobuf wire format, read and written without copying big arrays.

protobuf's own classes copy every weight into a message and out of it again. Scanning a net of 240
MB here takes no time. Only what caffemodel, solverstate and mean files need is here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
Buffer = bytes | bytearray | memoryview
LARGEST_UINT64 = (1 << 64) - 1
SIZES = {FIXED64: 8, FIXED32: 4}


class WireError(ValueError):
    """Bytes that are no protobuf message; the callers know the file's name."""


@dataclass(frozen=True)
class Entry:
    """One field: number, wire type, and the places of its tag and its value in the buffer."""

    number: int
    kind: int
    tag: int
    start: int
    end: int
    value: int = 0
    """The value of a VARINT field."""


def scan(data: memoryview, start: int, end: int) -> Iterator[Entry]:
    """The fields of the message in ``data[start:end]``.

    Raises WireError where the bytes are no message.
    """
    at = start
    while at < end:
        tag = at
        key, at = read_varint(data, at, end)
        number = key >> 3
        kind = key & 7
        value = 0
        begin = at
        if kind == VARINT:
            value, at = read_varint(data, at, end)
        elif kind == BYTES:
            length, begin = read_varint(data, at, end)
            at = begin + length
        elif kind in SIZES:
            at += SIZES[kind]
        else:
            raise WireError(f"no protobuf field starts at byte {tag}")
        if number == 0 or at > end:
            raise WireError(
                f"no protobuf field starts at byte {tag}"
                if number == 0
                else f"the field at byte {tag} goes beyond the end"
            )
        yield Entry(number, kind, tag, begin, at, value)


def read_varint(data: memoryview, at: int, end: int) -> tuple[int, int]:
    """The number at ``at``, and the place after it."""
    value = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & LARGEST_UINT64, at
        shift += 7
    raise WireError(f"the number at byte {at} does not end")


def varint(value: int) -> bytes:
    """A non-negative integer as protobuf writes it.

    A negative one takes its 64-bit two's complement.
    """
    value &= LARGEST_UINT64
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value: int) -> int:
    """The integer that a VARINT field of type int32 or int64 holds."""
    return value - LARGEST_UINT64 - 1 if value > LARGEST_UINT64 // 2 else value


@dataclass
class Chunks:
    """A message under construction: pieces in order, large ones not copied, and their size."""

    pieces: list[Buffer] = field(default_factory=list)
    size: int = 0

    def add(self, piece: Buffer) -> None:
        """Append bytes that are already in wire format."""
        self.pieces.append(piece)
        self.size += len(piece)

    def add_varint(self, number: int, value: int) -> None:
        """Append an integer field."""
        self.add(varint(number << 3 | VARINT) + varint(value))

    def add_bytes(self, number: int, value: Buffer) -> None:
        """Append a field of bytes, a string, or packed numbers."""
        self.add(varint(number << 3 | BYTES) + varint(len(value)))
        self.add(value)

    def add_message(self, number: int, message: Chunks) -> None:
        """Append a message field."""
        self.add(varint(number << 3 | BYTES) + varint(message.size))
        self.pieces.extend(message.pieces)
        self.size += message.size


def split(message: bytes, number: int) -> tuple[bytes, bytes]:
    """The fields with numbers below ``number``, and the others.

    Between them goes a field with that number.
    """
    for entry in scan(memoryview(message), 0, len(message)):
        if entry.number >= number:
            return message[: entry.tag], message[entry.tag :]
    return message, b""
