"""Files of weights: caffemodels (binary or HDF5, of any format) and binaryproto means.

Readers recognise binary and HDF5 files by their content, since people rename files. Callers choose
what is written.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from caffepy.errors import PrototxtError, WeightsError
from caffepy.proto import blobs, c3d, caffe_pb2, hdf5, wire
from caffepy.proto.atomic import atomic_write, is_pipe, read_whole
from caffepy.proto.file_contents import Array, LayerBlobs
from caffepy.proto.file_kind import holds_mean, holds_state, kind_note
from caffepy.proto.upgrade import upgrade_net

__all__ = [
    "PROTOBUF_BYTES",
    "Array",
    "LayerBlobs",
    "layers_in",
    "net_in",
    "net_of",
    "read_blob",
    "read_net_binary",
    "read_net_weights",
    "write_blob",
    "write_net",
    "write_net_hdf5",
    "write_net_message",
    "write_unchanged",
]

V0_LAYER, LAYERS, BLOBS, LAYER = 1, 2, 7, 100
"""Field numbers of V1LayerParameter, NetParameter (old ``layers``), LayerParameter, NetParameter.
"""
BLOB_FIELDS = {V0_LAYER: 50, LAYERS: 6, LAYER: BLOBS}
NAME_FIELDS = {V0_LAYER: (1, 2), LAYERS: (4, 5), LAYER: (1, 2)}
"""By the field that holds a layer message: the numbers of its ``blobs``, and of its name and type.
"""

PROTOBUF_BYTES = (1 << 31) - 1
"""Largest message, in bytes, that protobuf's libraries read or write.

It is the limit of the real Caffe's files; caffepy has no limit.
"""

Stored: TypeAlias = tuple[Array, Array | None]
"""A blob's values, and its gradient if the file has it."""


def read_net_weights(path: str | os.PathLike[str]) -> list[LayerBlobs]:
    """The parameters in a caffemodel, by layer in file order.

    Old formats are upgraded, with Caffe's log lines. Raises WeightsError if the file cannot be read
    or is no caffemodel.
    """
    if hdf5.is_hdf5(path):
        return hdf5.read_net(path)
    data = read_whole(path)
    file = os.fspath(path)
    _refuse_others(data, file)
    try:
        net, arrays = _split_net(data)
        upgraded, origins = upgrade_net(net, file)
        names = [(_text(layer.name), _text(layer.type)) for layer in upgraded.layer]
    except (wire.WireError, DecodeError, UnicodeDecodeError) as error:
        raise WeightsError(
            f"{file}: not a caffemodel, or a damaged one: {error}{kind_note(data)}"
        ) from error
    except PrototxtError as error:
        raise WeightsError(str(error)) from error
    layers = []
    for (name, kind), origin in zip(names, origins, strict=True):
        stored = [] if origin is None else arrays[origin]
        layers.append(
            LayerBlobs(name, kind, [values for values, _ in stored], [diff for _, diff in stored])
        )
    return layers


def layers_in(path: str | os.PathLike[str]) -> set[str]:
    """Names of the layers in a file of weights, without reading all of it.

    None for an old or damaged file, and for a pipe.
    """
    if is_pipe(path):
        return set()
    try:
        if hdf5.is_hdf5(path):
            return {layer.name for layer in hdf5.read_net(path)}
        data = read_whole(path)
        entries = list(wire.scan(data, 0, len(data)))
        layers = [e for e in entries if e.number == LAYER and e.kind == wire.BYTES]
        return {_name(data, layer) for layer in layers}
    except (WeightsError, wire.WireError, OSError):
        return set()


def net_of(path: str | os.PathLike[str]) -> caffe_pb2.NetParameter | None:
    """The net that a caffemodel was written by, as stored, without its blobs.

    None for HDF5, which holds none, for a damaged file, and for a pipe.
    """
    if is_pipe(path):
        return None
    try:
        if hdf5.is_hdf5(path):
            return None
        net, _ = _split_net(read_whole(path))
    except (WeightsError, wire.WireError, DecodeError, OSError):
        return None
    return net


def read_net_binary(path: str | os.PathLike[str]) -> caffe_pb2.NetParameter:
    """A binary NetParameter as stored, with blobs, not upgraded.  Raises WeightsError."""
    return net_in(read_whole(path), os.fspath(path))


def net_in(data: memoryview, file: str) -> caffe_pb2.NetParameter:
    """As `read_net_binary`, from bytes; a net of C3D gets the numbers of the common schema.

    ``file``: the name for errors.
    """
    _refuse_others(data, file)
    try:
        return caffe_pb2.NetParameter.FromString(
            c3d.renumbered(data) if c3d.of_c3d(data) else bytes(data)
        )
    except wire.WireError as error:
        raise WeightsError(f"{file}: a damaged caffemodel of C3D v1.0: {error}") from error
    except DecodeError as error:
        if len(data) > PROTOBUF_BYTES:
            size = (
                f"it has {len(data) / 1e9:.1f} GB, and protobuf's libraries read no more than"
                f" {PROTOBUF_BYTES / 1e9:.1f} GB of a file"
            )
            raise WeightsError(f"{file}: {size}; needed: another net's, or HDF5") from error
        raise WeightsError(
            f"{file}: not a binary NetParameter, or a damaged one{kind_note(data)}"
        ) from error


def write_net(
    path: str | os.PathLike[str],
    net: caffe_pb2.NetParameter,
    arrays: Sequence[Sequence[npt.NDArray[np.generic]]],
    *,
    diffs: Sequence[Sequence[npt.NDArray[np.generic]]] | None = None,
) -> None:
    """Write a binary caffemodel: ``net`` with ``arrays[i]`` as the blobs of its layer i.

    ``diffs[i]``, if given, are their gradients. ``net`` has no blobs; each blob gets its array's
    shape. Raises WeightsError when the file cannot be written.
    """
    bare = caffe_pb2.NetParameter()
    bare.CopyFrom(net)
    bare.ClearField("layer")
    before, after = wire.split(bare.SerializePartialToString(), LAYER)
    whole = wire.Chunks()
    whole.add(before)
    for index, (layer, values) in enumerate(zip(net.layer, arrays, strict=True)):
        head, tail = wire.split(layer.SerializePartialToString(), BLOBS)
        chunks = wire.Chunks()
        chunks.add(head)
        for at, value in enumerate(values):
            chunks.add_message(
                BLOBS, blobs.message(value, diff=diffs[index][at] if diffs else None)
            )
        chunks.add(tail)
        whole.add_message(LAYER, chunks)
    whole.add(after)
    write_chunks(path, whole)


def write_unchanged(path: str | os.PathLike[str], data: memoryview) -> None:
    """Write the bytes of a file unchanged.

    Raises WeightsError when the file cannot be written.
    """
    write_chunks(path, wire.Chunks([data], len(data)))


def write_net_message(path: str | os.PathLike[str], net: caffe_pb2.NetParameter) -> None:
    """Write a binary NetParameter unchanged, with its blobs.

    Raises WeightsError when the file cannot be written.
    """
    with atomic_write(path) as temporary:
        temporary.write_bytes(net.SerializePartialToString(deterministic=True))


def write_net_hdf5(
    path: str | os.PathLike[str],
    layers: Sequence[tuple[str, Sequence[npt.NDArray[np.generic] | None]]],
    *,
    diffs: Sequence[Sequence[npt.NDArray[np.generic] | None]] | None = None,
) -> None:
    """Write a ``.caffemodel.h5`` from the name and arrays of each layer.

    An array is None for a blob that another layer owns. Raises WeightsError if the file cannot be
    written or h5py is not installed.
    """
    hdf5.write_net(path, layers, diffs=diffs)


def read_blob(path: str | os.PathLike[str]) -> Array:
    """The array in a binaryproto file (a mean image: (1, C, H, W)).  Raises WeightsError."""
    data = read_whole(path)
    try:
        return blobs.read(data, 0, len(data)).copy()
    except wire.WireError as error:
        raise WeightsError(
            f"{os.fspath(path)}: not a binaryproto file, or a damaged one: {error}{kind_note(data)}"
        ) from error


def write_blob(path: str | os.PathLike[str], values: npt.NDArray[np.generic]) -> None:
    """Write a binaryproto file.

    An array of four axes has num, channels, height, width, as compute_image_mean writes them;
    others have ``shape``.
    """
    write_chunks(path, blobs.message(values, legacy=values.ndim == 4))


def write_chunks(path: str | os.PathLike[str], message: wire.Chunks) -> None:
    """Write a message to a file, atomically."""
    with atomic_write(path) as temporary, open(temporary, "wb") as file:
        file.writelines(message.pieces)


def _refuse_others(data: memoryview, file: str) -> None:
    """WeightsError for mean images and solver states, which protobuf would read as an empty net."""
    if holds_mean(data):
        raise WeightsError(
            f"{file} holds a mean image, not weights; it belongs to mean_file in transform_param"
        )
    if holds_state(data):
        raise WeightsError(
            f"{file} holds a solver's state, not weights; the weights are in the"
            " .caffemodel beside it"
        )


def _split_net(data: memoryview) -> tuple[caffe_pb2.NetParameter, list[list[Stored]]]:
    """The net without its blobs, and the blobs of each of its layers.

    If a fork's layer has fields that BVLC numbers otherwise, only names and types are kept.
    """
    try:
        skeleton, arrays = _strip_net(data, names_only=False)
        if c3d.of_c3d(data):
            skeleton = c3d.renumbered(memoryview(skeleton))
        return caffe_pb2.NetParameter.FromString(skeleton), arrays
    except DecodeError:
        skeleton, arrays = _strip_net(data, names_only=True)
        return caffe_pb2.NetParameter.FromString(skeleton), arrays


def _strip_net(data: memoryview, *, names_only: bool) -> tuple[bytes, list[list[Stored]]]:
    skeleton = wire.Chunks()
    arrays = []
    for entry in wire.scan(data, 0, len(data)):
        if entry.number in (LAYERS, LAYER) and entry.kind == wire.BYTES:
            layer = wire.Chunks()
            stored = list[Stored]()
            _strip_layer(data, entry, layer, stored, names_only=names_only)
            skeleton.add_message(entry.number, layer)
            arrays.append(stored)
        elif not names_only:
            skeleton.add(data[entry.tag : entry.end])
    return b"".join(skeleton.pieces), arrays


def _strip_layer(
    data: memoryview,
    layer: wire.Entry,
    kept: wire.Chunks,
    stored: list[Stored],
    *,
    names_only: bool,
) -> None:
    """Divide the fields of a layer message: blobs to ``stored``, the others to ``kept``."""
    for entry in wire.scan(data, layer.start, layer.end):
        if entry.kind == wire.BYTES and entry.number == BLOB_FIELDS[layer.number]:
            try:
                values = blobs.read(data, entry.start, entry.end)
                stored.append((values, blobs.read_diff(data, entry.start, entry.end, values.shape)))
            except wire.WireError as error:
                raise wire.WireError(
                    f"blob {len(stored)} of layer '{_name(data, layer)}': {error}"
                ) from error
        elif entry.kind == wire.BYTES and layer.number == LAYERS and entry.number == V0_LAYER:
            inner = wire.Chunks()
            _strip_layer(data, entry, inner, stored, names_only=names_only)
            kept.add_message(V0_LAYER, inner)
        elif not names_only or entry.number in NAME_FIELDS[layer.number]:
            kept.add(data[entry.tag : entry.end])


def _text(value: str | bytes) -> str:
    """A string of a message; protobuf gives bytes if it is not UTF-8."""
    return value if isinstance(value, str) else value.decode(errors="replace")


def _name(data: memoryview, layer: wire.Entry) -> str:
    for entry in wire.scan(data, layer.start, layer.end):
        if entry.number == NAME_FIELDS[layer.number][0] and entry.kind == wire.BYTES:
            return bytes(data[entry.start : entry.end]).decode(errors="replace")
    return ""
