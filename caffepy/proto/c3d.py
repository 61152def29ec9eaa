"""Binary nets of C3D v1.0, whose field numbers and types BVLC Caffe later used for others.

Such a net is recognised by its blobs of five sizes. It is read under the numbers of the common
schema.
"""

from __future__ import annotations

from caffepy.proto import blobs, caffe_pb2, wire
from caffepy.proto.file_contents import Array

NET, LAYER = caffe_pb2.NetParameter, caffe_pb2.V1LayerParameter
LAYERS, TYPE, BLOBS = NET.LAYERS_FIELD_NUMBER, LAYER.TYPE_FIELD_NUMBER, LAYER.BLOBS_FIELD_NUMBER
PRODUCT = 25
"""A type of 2014's, now ELTWISE with its operation PROD."""
TYPES = {PRODUCT: LAYER.ELTWISE, 30: LAYER.CONVOLUTION3D, 31: LAYER.POOLING3D, 33: LAYER.VIDEO_DATA}
NOT_HERE = {
    32: "VOLUME_DATA",
    34: "DECONVOLUTION3D",
    35: "VIDEO_SEGMENTATION_DATA",
    36: "VOXEL_SOFTMAX",
    37: "VOXEL_SOFTMAX_LOSS",
    38: "VIDEO_WITH_VOXEL_TRUTH_DATA",
    39: "VOXEL_CUSTOM_LOSS",
    40: "DOWN_SAMPLING",
}
NAMELESS = 30_000
"""Added to the number of a type that does not exist here, so that it is not taken for another type.
"""
SHOWS_DATA, DOWN_SAMPLING = 8, 23
"""A field of data_param that opens a window, and the parameters of a type that does not exist here.

Both are left out.
"""
NEW_LENGTH, CLIP_MAX = 11, 23
FIELDS: dict[int, dict[int, int]] = {
    LAYER.CONVOLUTION_PARAM_FIELD_NUMBER: {
        6: 20101,
        7: 6,
        8: 20102,
        9: 7,
        10: 8,
        11: 20104,
        12: 20103,
    },
    LAYER.POOLING_PARAM_FIELD_NUMBER: {5: 20101, 6: 20102},
    LAYER.IMAGE_DATA_PARAM_FIELD_NUMBER: {
        number: number + 20100 - NEW_LENGTH for number in range(NEW_LENGTH, CLIP_MAX + 1)
    },
    LAYER.DATA_PARAM_FIELD_NUMBER: {SHOWS_DATA: 0},
}
"""By the field of a layer: C3D's numbers in it, and those of the common schema; 0: left out."""


def of_c3d(data: memoryview) -> bool:
    """Whether the first blob in a binary net of V1 has the fields of C3D v1.0."""
    try:
        for layer in wire.scan(data, 0, len(data)):
            if layer.number == LAYERS and layer.kind == wire.BYTES:
                for entry in wire.scan(data, layer.start, layer.end):
                    if entry.number == BLOBS and entry.kind == wire.BYTES:
                        return blobs.of_c3d(data, entry.start, entry.end)
    except wire.WireError:
        pass  # the parser reports it
    return False


def renumbered(data: memoryview) -> bytes:
    """The bytes of a net of C3D v1.0 under the numbers of the common schema.

    Its blobs get as many axes as their layers take. Raises wire.WireError where the bytes are
    damaged.
    """
    chunks = wire.Chunks()
    for entry in wire.scan(data, 0, len(data)):
        if entry.number == LAYERS and entry.kind == wire.BYTES:
            chunks.add_message(LAYERS, _layer(data, entry))
        else:
            chunks.add(data[entry.tag : entry.end])
    return b"".join(chunks.pieces)


def not_here(number: int) -> str:
    """The name of a type that only C3D has, by the number that it has here; empty for others."""
    return NOT_HERE.get(number - NAMELESS, "")


def _layer(data: memoryview, layer: wire.Entry) -> wire.Chunks:
    chunks = wire.Chunks()
    slot = 0
    entries = list(wire.scan(data, layer.start, layer.end))
    kind = next(
        (entry.value for entry in entries if entry.number == TYPE and entry.kind == wire.VARINT), 0
    )
    for entry in entries:
        if entry.number == TYPE and entry.kind == wire.VARINT:
            chunks.add_varint(TYPE, kind + NAMELESS if kind in NOT_HERE else TYPES.get(kind, kind))
        elif entry.number == BLOBS and entry.kind == wire.BYTES:
            values = _axes(blobs.read(data, entry.start, entry.end), kind, slot)
            diff = blobs.read_diff(data, entry.start, entry.end, values.shape)
            chunks.add_message(BLOBS, blobs.message(values, diff=diff))
            slot += 1
        elif entry.number in FIELDS and entry.kind == wire.BYTES:
            chunks.add_message(entry.number, _fields(data, entry, FIELDS[entry.number]))
        elif entry.number != DOWN_SAMPLING:
            chunks.add(data[entry.tag : entry.end])
    if kind == PRODUCT:
        chunks.add_bytes(
            LAYER.ELTWISE_PARAM_FIELD_NUMBER,
            caffe_pb2.EltwiseParameter(operation="PROD").SerializeToString(),
        )
    return chunks


def _fields(data: memoryview, message: wire.Entry, numbers: dict[int, int]) -> wire.Chunks:
    chunks = wire.Chunks()
    for entry in wire.scan(data, message.start, message.end):
        number = numbers.get(entry.number, entry.number)
        value = data[entry.start : entry.end]
        if number and entry.kind == wire.BYTES:
            chunks.add_bytes(number, value)
        elif number:
            chunks.add(wire.varint(number << 3 | entry.kind))
            chunks.add(value)
    return chunks


def _axes(values: Array, kind: int, slot: int) -> Array:
    """Weights and biases of an InnerProduct or a Convolution with the axes that Caffe gives them.

    Others stay as they are.
    """
    if values.ndim != blobs.C3D_WIDTH:
        return values
    num, channels, length, *plane = values.shape
    if kind == LAYER.INNER_PRODUCT and (num, channels, length) == (1, 1, 1):
        return values.reshape(plane if slot == 0 else -1)
    if kind == LAYER.CONVOLUTION and length == 1:
        return values.reshape((num, channels, *plane) if slot == 0 else -1)
    return values
