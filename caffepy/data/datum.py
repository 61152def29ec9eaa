"""Datum records: from the bytes of a database value to an image and back, without protobuf.

``decode`` reads the wire format and does not copy the pixels, which stay in the mapped file of an
LMDB, say. ``decode_stack`` reads many small records of one size at once.
"""

# N records, C channels, H height, W width, L bytes of a record

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from caffepy.errors import DataError
from caffepy.proto.wire import BYTES, FIXED32, FIXED64, VARINT, varint

Buffer: TypeAlias = bytes | memoryview
Pixels: TypeAlias = npt.NDArray[np.uint8]
Floats: TypeAlias = npt.NDArray[np.float32]

CHANNELS, HEIGHT, WIDTH, DATA, LABEL, FLOAT_DATA, ENCODED = range(1, 8)

_FLOAT_TAG = FLOAT_DATA << 3 | FIXED32
_LABEL_TAG = LABEL << 3
_TAILS = (b"", bytes((ENCODED << 3, 0)))
"""What follows the label in a raw record."""
_MOST_LABEL = (1 << 31) - 1
IMAGE_FILES = (b"\xff\xd8\xff", b"\x89PN")
"""The first bytes of JPEG and PNG files."""
_NOT_A_DATUM = "is no Datum with channels, height, width and data"


@dataclass(slots=True)
class Datum:
    """One record.

    ``data``: raw or encoded bytes; ``floats``: the values of ``float_data``, None if there are
    none.
    """

    channels: int
    height: int
    width: int
    data: memoryview
    label: int = 0
    floats: Floats | None = None
    encoded: bool = False

    @property
    def size(self) -> int:
        """Number of values that channels, height and width ask for."""
        return self.channels * self.height * self.width

    def image(self) -> Pixels | Floats:
        """The values as (C, H, W), uint8 or float32, not copied.

        DataError if the sizes do not fit or the record is encoded.
        """
        if self.encoded:
            raise DataError(
                "is encoded (an image file's bytes), it has no pixels before it is decoded"
            )
        if not self.channels > 0 or not self.height > 0 or not self.width > 0:
            guess = (
                "an image file, and encoded not set?"
                if bytes(self.data[:3]) in IMAGE_FILES
                else "an AnnotatedDatum?"
            )
            raise DataError(
                f"{_NOT_A_DATUM}: {self.channels}x{self.height}x{self.width}, {len(self.data)}"
                f" bytes ({guess})"
            )
        values: Pixels | Floats
        values = (
            np.frombuffer(self.data, np.uint8)
            if len(self.data) or self.floats is None
            else self.floats
        )
        if len(values) != self.size:
            floats = len(self.data) in (4 * self.size, 8 * self.size)
            raise DataError(
                f"has {len(values)} values, channels x height x width is "
                f"{self.channels}x{self.height}x{self.width} = {self.size}; "
                + (
                    "data holds bytes, needed: floats in float_data"
                    if floats
                    else "the record is damaged"
                )
            )
        return values.reshape(self.channels, self.height, self.width)


@dataclass(frozen=True, slots=True)
class Stack:
    """Raw records of one size.

    ``images``: (N, C, H, W) uint8, rows a record apart; ``labels``: (N,) int64.
    """

    images: Pixels
    labels: npt.NDArray[np.int64]


def decode(record: Buffer) -> Datum:
    """Read one record; its pixels stay in ``record``.

    DataError, without the record's name, if it is no Datum.
    """
    view = memoryview(record).cast("B") if not isinstance(record, memoryview) else record
    fields = {CHANNELS: 0, HEIGHT: 0, WIDTH: 0, LABEL: 0, ENCODED: 0}
    data = view[:0]
    floats: list[Floats] = []
    at = 0
    end = len(view)
    try:
        while at < end:
            # most numbers are one byte: a call of _varint would take longer than all the rest
            tag, at = (view[at], at + 1) if view[at] < 128 else _varint(view, at)
            field = tag >> 3
            wire = tag & 7
            if wire == VARINT:
                fields[field], at = (view[at], at + 1) if view[at] < 128 else _varint(view, at)
            elif wire == BYTES:
                length, at = _varint(view, at)
                if length > end - at:
                    raise IndexError
                if field == DATA:
                    data = view[at : at + length]
                elif field == FLOAT_DATA:
                    floats.append(
                        np.frombuffer(view[at : at + length], "<f4").astype(np.float32, copy=False)
                    )
                at += length
            elif field == FLOAT_DATA and wire == FIXED32:
                run = _float_run(view, at - 1)
                floats.append(run)
                at += 5 * len(run) - 1
            elif wire in (FIXED32, FIXED64):
                at += 4 if wire == FIXED32 else 8
                if at > end:
                    raise IndexError
            else:
                raise IndexError
    except (IndexError, ValueError):
        raise DataError(_NOT_A_DATUM) from None
    return Datum(
        _int32(fields[CHANNELS]),
        _int32(fields[HEIGHT]),
        _int32(fields[WIDTH]),
        data,
        _int32(fields[LABEL]),
        np.concatenate(floats) if floats else None,
        bool(fields[ENCODED]),
    )


@dataclass(frozen=True, slots=True)
class Layout:
    """The bytes before the pixels, which raw uint8 records of one size share.

    A record with the same bytes needs no parsing.
    """

    head: bytes
    shape: tuple[int, int, int]
    size: int
    _labels: dict[bytes, int] = field(default_factory=dict)
    """Labels by the bytes after the pixels."""

    @classmethod
    def of(cls, record: Buffer) -> Layout | None:
        """The layout of this record; None if it is encoded, contains floats or is damaged."""
        datum = decode(record)
        if (
            datum.encoded
            or datum.floats is not None
            or not datum.size
            or len(datum.data) != datum.size
        ):
            return None
        head = bytes(record[: _head_length(record, datum)])
        return cls(head, (datum.channels, datum.height, datum.width), datum.size)

    def read(self, record: Buffer) -> tuple[Pixels, int] | None:
        """Pixels (C, H, W), not copied, and label of a record.

        None if it has another layout; then use `decode`.
        """
        start = len(self.head)
        tail = bytes(record[start + self.size :])
        label = self._labels.get(tail)
        if label is None:
            label = _tail_label(tail)
            if label is None:
                return None
            self._labels[tail] = label
        if record[:start] != self.head:
            return None
        return np.ndarray(self.shape, np.uint8, record, start), label


def _tail_label(tail: bytes) -> int | None:
    """The label, if nothing else but ``encoded: false`` follows the pixels; else None."""
    try:
        label, at = _varint(tail, 1)
    except IndexError:
        return None
    return label if tail[0] == _LABEL_TAG and label <= _MOST_LABEL and tail[at:] in _TAILS else None


def decode_stack(records: Sequence[Buffer], layout: Layout | None) -> Stack | None:
    """Read raw uint8 records that differ in pixels and labels only.

    One copy joins the records; everything else is done for all of them at once. None if they differ
    in more; then use `decode` for each. ``layout``: that of the first.
    """
    length = len(records[0])
    if layout is None or set(map(len, records)) != {length}:
        return None
    rows = np.frombuffer(b"".join(records), np.uint8).reshape(len(records), length)
    head = len(layout.head)
    tail = rows[:, head + layout.size :]
    if (
        tail.shape[1] < 2
        or (rows[:, :head] != rows[0, :head]).any()
        or (tail[:, 0] != _LABEL_TAG).any()
        or (tail[:, 1] > 127).any()
    ):
        return None
    if tail[0, 2:].tobytes() not in _TAILS or (tail[:, 2:] != tail[0, 2:]).any():
        return None
    return Stack(
        rows[:, head : head + layout.size].reshape(len(records), *layout.shape),
        tail[:, 1].astype(np.int64),
    )


def encode(
    data: Buffer | Sequence[Buffer] | None,
    *,
    shape: tuple[int, int, int] | None = None,
    label: int | None = None,
    floats: npt.ArrayLike | None = None,
    encoded: bool | None = None,
) -> bytes:
    """The bytes that protobuf's C++ writes for a Datum; a field that is None is left out.

    ``data``: the bytes, or pieces of them. ``shape``: channels, height, width. ``label``: wraps at
    32 bits.
    """
    parts: list[Buffer] = []
    if shape is not None:
        for field, extent in zip((CHANNELS, HEIGHT, WIDTH), shape):
            parts += [bytes((field << 3,)), varint(extent)]
    if data is not None:
        pieces: Sequence[Buffer] = [data] if isinstance(data, (bytes, memoryview)) else data
        parts += [bytes((DATA << 3 | BYTES,)), varint(sum(len(piece) for piece in pieces)), *pieces]
    if label is not None:
        parts += [bytes((_LABEL_TAG,)), varint(_int32(label))]
    if floats is not None:
        values = np.ascontiguousarray(floats, "<f4").ravel()
        tagged = np.empty(len(values), np.dtype([("tag", "u1"), ("value", "<f4")]))
        tagged["tag"] = _FLOAT_TAG
        tagged["value"] = values
        parts.append(tagged.tobytes())
    if encoded is not None:
        parts.append(bytes((ENCODED << 3, encoded)))
    return b"".join(parts)


def _varint(view: Buffer, at: int) -> tuple[int, int]:
    """The varint at ``at`` and the place after it.  IndexError if it does not end."""
    value: int = view[at]
    at += 1
    if value < 128:
        return value, at
    value &= 127
    for shift in range(7, 70, 7):
        byte: int = view[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise IndexError


def _int32(value: int) -> int:
    """The low 32 bits as a signed number, as C++ converts."""
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def _float_run(view: memoryview, at: int) -> Floats:
    """The unpacked float fields in a row that begins at ``at``, with the tag of the first."""
    count = (len(view) - at) // 5
    if count == 0:
        raise IndexError
    fields = np.frombuffer(view[at : at + 5 * count], np.dtype([("tag", "u1"), ("value", "<f4")]))
    other = np.flatnonzero(fields["tag"] != _FLOAT_TAG)
    return fields["value"][: int(other[0]) if len(other) else count].astype(np.float32)


def _head_length(record: Buffer, datum: Datum) -> int:
    """Bytes of ``record`` before the pixels of ``datum``, which was decoded from it."""
    start = np.frombuffer(record, np.uint8).__array_interface__["data"][0]
    pixels = np.frombuffer(datum.data, np.uint8).__array_interface__["data"][0]
    return int(pixels - start)
