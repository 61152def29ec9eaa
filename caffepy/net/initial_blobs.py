"""Initial values of parameters in the net's own file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from caffepy import log
from caffepy.errors import LayerError
from caffepy.layers.core.base import BlobSpec, Layer, shape_string
from caffepy.proto import blobs, caffe_pb2
from caffepy.proto.file_contents import Array
from caffepy.proto.wire import WireError


def take_initial_blobs(layer: Layer, written: Sequence[caffe_pb2.BlobProto]) -> None:
    """Let the parameters of ``layer`` begin with ``written``, the blobs of its LayerParameter.

    No filler draws anything then. Blobs of a layer without parameters are ignored. LayerError if
    they do not fit.
    """
    if not written or not layer.blobs:
        return
    if len(written) != len(layer.blobs):
        raise LayerError(
            f"Incorrect number of weight blobs: {len(written)} in the net's file; needed:"
            f" {len(layer.blobs)}",
            ("blobs", 0),
        )
    layer.blobs = tuple(
        _filled(spec, blob, slot) for slot, (spec, blob) in enumerate(zip(layer.blobs, written))
    )
    log.info("layer.hpp:42", "Skipping parameter initialization")


def shapes_match(source: Sequence[int], target: Sequence[int]) -> bool:
    """Whether stored values fit a parameter.

    Their shape is the parameter's, or that with leading axes of 1 up to four axes, as in old files,
    or C3D's five axes with one frame.
    """
    source, target = tuple(source), tuple(target)
    padded = len(source) in (4, 5) and source == (1,) * (len(source) - len(target)) + target
    return (
        source == target
        or padded
        or (len(source) == 5 and len(target) == 4 and source == (*target[:2], 1, *target[2:]))
    )


def _filled(spec: BlobSpec, blob: caffe_pb2.BlobProto, slot: int) -> BlobSpec:
    values = _values(blob, slot)
    if not shapes_match(values.shape, spec.shape):
        found, needed = shape_string(values.shape), shape_string(spec.shape)
        raise LayerError(
            f"Incorrect shape of blob {slot}: expected shape {needed}; instead, shape was {found}",
            ("blobs", slot),
        )
    return replace(spec, filler=None, values=values.reshape(spec.shape).copy())


def _values(blob: caffe_pb2.BlobProto, slot: int) -> Array:
    data = memoryview(blob.SerializeToString())
    try:
        return blobs.read(data, 0, len(data))
    except WireError as error:
        raise LayerError(str(error), ("blobs", slot)) from error
