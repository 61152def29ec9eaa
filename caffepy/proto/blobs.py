"""BlobProto messages to numpy arrays and back.

A blob has ``shape``, or the four legacy sizes num, channels, height, width. Its values are in one
of ``data`` (float), ``double_data``, or ``raw_data`` of a given type (NVCaffe, OpenCV's shrinker).
A blob of C3D v1.0 has five sizes: num, channels, length, height, width.
"""

from __future__ import annotations

import math
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.proto import wire
from caffepy.proto.as_float32 import as_float32
from caffepy.proto.file_contents import Array

NUM, CHANNELS, HEIGHT, WIDTH, DATA, DIFF, SHAPE, DOUBLE_DATA, DOUBLE_DIFF, RAW_TYPE, _, RAW_DATA = (
    range(1, 13)
)
C3D_WIDTH, C3D_DATA, C3D_DIFF = 5, 6, 7
"""In C3D v1.0 the first five fields are sizes: field 5 is a number, where others have ``data``."""
DIM = 1
RAW_TYPES: dict[int, np.dtype[Any]] = {0: np.dtype("<f8"), 1: np.dtype("<f4"), 2: np.dtype("<f2")}
NUMBERS: dict[int, np.dtype[Any]] = {DATA: np.dtype("<f4"), DOUBLE_DATA: np.dtype("<f8")}
DIFFS: dict[int, np.dtype[Any]] = {DIFF: np.dtype("<f4"), DOUBLE_DIFF: np.dtype("<f8")}
SINGLE = {
    DATA: wire.FIXED32,
    DOUBLE_DATA: wire.FIXED64,
    DIFF: wire.FIXED32,
    DOUBLE_DIFF: wire.FIXED64,
}
"""The wire type of a number that is not packed with the others."""


def read(data: memoryview, start: int, end: int) -> Array:
    """The values of the BlobProto in ``data[start:end]`` as float32, in its shape.

    They are a view of ``data`` where the values stand there as float32.

    Raises wire.WireError if the values do not fill the shape, or there are none.
    """
    volume = _of_c3d(data, start, end)
    if volume is not None:
        return volume[0]
    legacy: dict[int, int] = {}
    shape: list[int] = []
    arrays: dict[int, list[npt.NDArray[np.generic]]] = {DATA: [], DOUBLE_DATA: []}
    raw_type = 1
    raw = None
    for entry in wire.scan(data, start, end):
        if entry.number in (NUM, CHANNELS, HEIGHT, WIDTH) and entry.kind == wire.VARINT:
            legacy[entry.number] = wire.signed(entry.value)
        elif entry.number in NUMBERS and entry.kind in (wire.BYTES, SINGLE[entry.number]):
            arrays[entry.number].append(
                _numbers(data, entry.start, entry.end, NUMBERS[entry.number])
            )
        elif entry.number == SHAPE and entry.kind == wire.BYTES:
            shape = _dims(data, entry.start, entry.end)
        elif entry.number == RAW_TYPE:
            raw_type = entry.value
        elif entry.number == RAW_DATA and entry.kind == wire.BYTES:
            raw = entry
    values = arrays[DOUBLE_DATA] or arrays[DATA]
    if raw is not None and not values:
        if raw_type not in RAW_TYPES:
            raise wire.WireError(f"raw_data of type {raw_type} is not float")
        values.append(_numbers(data, raw.start, raw.end, RAW_TYPES[raw_type]))
    full = (
        tuple(legacy.get(n, 0) for n in (NUM, CHANNELS, HEIGHT, WIDTH)) if legacy else tuple(shape)
    )
    return _shaped(values, full)


def read_diff(data: memoryview, start: int, end: int, shape: tuple[int, ...]) -> Array | None:
    """The gradient in the BlobProto in ``data[start:end]``, whose shape is known; None without one.

    Raises wire.WireError as `read` does.
    """
    volume = _of_c3d(data, start, end)
    if volume is not None:
        return volume[1]
    arrays: dict[int, list[npt.NDArray[np.generic]]] = {DIFF: [], DOUBLE_DIFF: []}
    for entry in wire.scan(data, start, end):
        if entry.number in DIFFS and entry.kind in (wire.BYTES, SINGLE[entry.number]):
            numbers = _numbers(data, entry.start, entry.end, DIFFS[entry.number])
            if numbers.size:
                arrays[entry.number].append(numbers)
    values = arrays[DOUBLE_DIFF] or arrays[DIFF]
    return _shaped(values, shape) if values else None


def of_c3d(data: memoryview, start: int, end: int) -> bool:
    """Whether the BlobProto in ``data[start:end]`` has the fields of C3D v1.0."""
    sizes = [
        entry.number
        for entry in islice(wire.scan(data, start, end), C3D_WIDTH)
        if entry.kind == wire.VARINT
    ]
    return sizes == list(range(1, C3D_WIDTH + 1))


def _of_c3d(data: memoryview, start: int, end: int) -> tuple[Array, Array | None] | None:
    """Values, and the gradient if there is one, of a BlobProto of C3D v1.0; None for others."""
    if not of_c3d(data, start, end):
        return None
    shape = [0] * C3D_WIDTH
    arrays: dict[int, list[npt.NDArray[np.generic]]] = {C3D_DATA: [], C3D_DIFF: []}
    for entry in wire.scan(data, start, end):
        if entry.number <= C3D_WIDTH and entry.kind == wire.VARINT:
            shape[entry.number - 1] = wire.signed(entry.value)
        elif entry.number in arrays and entry.kind in (wire.BYTES, wire.FIXED32):
            arrays[entry.number].append(_numbers(data, entry.start, entry.end, NUMBERS[DATA]))
    num, channels, length, *plane = shape
    full = (num, channels, length or 1, *plane)
    has_diff = any(part.size for part in arrays[C3D_DIFF])
    diff = _shaped(arrays[C3D_DIFF], full) if has_diff else None
    return _shaped(arrays[C3D_DATA], full), diff


def _shaped(values: list[npt.NDArray[np.generic]], shape: tuple[int, ...]) -> Array:
    if any(n < 0 for n in shape):
        raise wire.WireError(f"a blob has shape {shape}")
    if len(values) == 1:
        flat = values[0]  # a view of the file
    else:
        flat = np.concatenate([np.empty(0, np.float32), *values])
    count = math.prod(shape)
    if flat.size != count:
        raise wire.WireError(
            f"a blob of shape {shape} has {flat.size} of its {count} values"
            + ("" if flat.size else ", no float data")
        )
    return as_float32(flat).reshape(shape)


def _numbers(
    data: memoryview, start: int, end: int, dtype: np.dtype[Any]
) -> npt.NDArray[np.generic]:
    if (end - start) % dtype.itemsize:
        raise wire.WireError(
            f"{end - start} bytes at byte {start} are no whole number of"
            f" {dtype.itemsize}-byte values"
        )
    return np.frombuffer(data, dtype, (end - start) // dtype.itemsize, start)


def _dims(data: memoryview, start: int, end: int) -> list[int]:
    dims: list[int] = []
    for entry in wire.scan(data, start, end):
        if entry.number == DIM and entry.kind == wire.VARINT:
            dims.append(wire.signed(entry.value))
        elif entry.number == DIM:
            at = entry.start
            while at < entry.end:
                value, at = wire.read_varint(data, at, entry.end)
                dims.append(wire.signed(value))
    return dims


def message(
    values: npt.NDArray[np.generic],
    *,
    diff: npt.NDArray[np.generic] | None = None,
    legacy: bool = False,
) -> wire.Chunks:
    """A BlobProto with ``values`` (and ``diff``) as floats.

    ``legacy``: with num, channels, height, width in place of ``shape``.
    """
    blob = wire.Chunks()
    if legacy:
        for number, size in zip((NUM, CHANNELS, HEIGHT, WIDTH), values.shape, strict=True):
            blob.add_varint(number, size)
    blob.add_bytes(DATA, _packed(values))
    if diff is not None:
        blob.add_bytes(DIFF, _packed(diff))
    if not legacy:
        dims = b"".join(map(wire.varint, values.shape))
        shape = wire.Chunks()
        shape.add_bytes(DIM, dims)
        blob.add_message(SHAPE, shape)
    return blob


def _packed(values: npt.NDArray[np.generic]) -> wire.Buffer:
    """The bytes of a packed float field; no copy if the array is float32 and contiguous."""
    flat = np.ascontiguousarray(values, "<f4").reshape(-1)
    return flat.data.cast("B") if flat.size else b""
