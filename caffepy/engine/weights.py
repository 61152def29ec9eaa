"""Reads the parameters of a net from caffemodel files and writes them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.arena import Arena
from caffepy.errors import WeightsError
from caffepy.layers.core.base import count, shape_string
from caffepy.net.graph import Graph, Node
from caffepy.net.initial_blobs import shapes_match
from caffepy.proto import caffe_pb2
from caffepy.proto.weights import (
    PROTOBUF_BYTES,
    LayerBlobs,
    read_net_weights,
    write_net,
    write_net_hdf5,
)

Array = npt.NDArray[np.float32]
SHOWN = 4
"""So many names of layers are shown in a message."""


def copy_trained_layers(
    graph: Graph, arena: Arena, path: str, *, own_only: bool = False
) -> list[tuple[int, Array]]:
    """Copy the parameters of layers with the same names from a caffemodel.

    The file may be binary or HDF5, in any of Caffe's formats.

    Layers that only the file has are named in the log. Layers that only the net has keep their
    values, and a warning is logged if these are all. WeightsError if the blobs of a layer do not
    fit; then no parameter is changed.
    ``own_only``: leave out parameters whose memory is in another net's arena.

    Returns the diffs that the file has for these parameters (snapshot_diff), as (index of the
    parameter, diff).
    """
    nodes = {node.name: node for node in reversed(graph.nodes)}  # the first of a name counts
    pairs: list[tuple[int, Array]] = []
    diffs: list[tuple[int, Array]] = []
    layers = read_net_weights(path)
    for layer in layers:
        if layer.name not in nodes:
            log.info("net.cpp:746", f"Ignoring source layer {layer.name}")
            continue
        node = nodes[layer.name]
        pairs += _pairs(graph, node, layer, path)
        diffs += [
            (index, diff) for index, diff in zip(node.params, layer.diffs) if diff is not None
        ]
    if graph.params and not pairs and not own_only:
        theirs = _few([layer.name for layer in layers if layer.blobs])
        ours = _few([node.name for node in graph.nodes if node.params])
        reason = (
            "nothing was taken from it, since none of its layers with parameters has the name of"
            " one of the net's"
        )
        log.warning("net.cpp:746", f"{path}: {reason}; found: {theirs}; needed: {ours}")
    for index, array in pairs:
        if own_only and graph.params[index].owner in arena.borrowed:
            continue
        put(arena.data[index], array)
    return diffs


def weight_files(fields: Iterable[str]) -> list[str]:
    """The files of weights that ``fields`` name, separated by commas.

    WeightsError where a name is empty.
    """
    files = [name.strip() for field in fields for name in field.split(",")]
    if "" in files:
        raise WeightsError(
            f"weights '{', '.join(fields)}': a name is empty; needed: names of files,"
            " separated by commas"
        )
    return files


def _few(names: Sequence[str]) -> str:
    """The first names of many, for a message."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN]) or 'none'}{more}"


def _pairs(graph: Graph, node: Node, layer: LayerBlobs, path: str) -> list[tuple[int, Array]]:
    """(index of the parameter, its new values) for each blob of one layer of the file."""
    arrays = list(layer.blobs)
    if not layer.type:  # HDF5 files have shared blobs only in the layer that owns them
        missing = node.params[len(arrays) :]
        arrays += [None] * len(missing) if all(graph.params[p].owner != p for p in missing) else []
    warning = node.layer.weights_warning(layer.blobs)
    if len(arrays) != len(node.params):
        raise WeightsError(
            f"{path}: Incompatible number of blobs for layer {node.name}:"
            f" {len(layer.blobs)} in the file, {len(node.params)} in the net;"
            " needed: as many, or rename the layer to train it from"
            f" scratch{warning and f' ({warning})'}"
        )
    if warning:
        log.warning("net.cpp:780", f"{path}: layer {node.name}: {warning}")
    pairs = []
    for slot, (index, array) in enumerate(zip(node.params, arrays)):
        target = graph.params[index]
        if array is None:
            if target.owner == index:
                raise WeightsError(
                    f"{path}: Incompatible number of blobs for layer {node.name}:"
                    f" blob {slot} is not in the file"
                )
        elif not shapes_match(array.shape, target.shape):
            raise WeightsError(
                f"{path}: Cannot copy param {slot} weights from layer '{node.name}';"
                " shape mismatch."
                f"  Source param shape is {shape_string(array.shape)};"
                f" target param shape is {shape_string(target.shape)}."
                " To learn this layer's parameters from scratch rather than copying from a saved"
                " net, rename the layer."
            )
        else:
            pairs.append((index, array))
    return pairs


def put(tensor: Tensor, array: npt.NDArray[np.generic]) -> None:
    """Overwrite ``tensor`` with the elements of ``array``, which has as many."""
    values = array.reshape(tuple(tensor.shape))
    if tensor.device.type == "cpu":
        np.copyto(tensor.detach().numpy(), values, casting="same_kind")
    else:
        tensor.detach().copy_(torch.tensor(values))


def get(tensor: Tensor, shape: Sequence[int] | None = None) -> Array:
    """The values of ``tensor`` as a contiguous array, of its own shape or another.

    The array shares the tensor's memory where that is possible.
    """
    array: Array = np.ascontiguousarray(tensor.detach().cpu().numpy())
    return array.reshape(tuple(tensor.shape if shape is None else shape))


def arrays_of(arena: Arena) -> dict[int, Array]:
    """The values of all parameters by their index in Graph.params."""
    return {index: get(tensor) for index, tensor in enumerate(arena.data)}


def tensors_of(arena: Arena) -> dict[int, Tensor]:
    """The parameters by their index in Graph.params, without gradients."""
    return {index: tensor.detach() for index, tensor in enumerate(arena.data)}


def save(
    path: str, graph: Graph, arena: Arena, *, diffs: Sequence[Tensor | None] | None = None
) -> None:
    """Write a binary caffemodel.

    As in Caffe it has all layers of the net, with automatic Split layers, each with all its blobs.

    ``diffs``: a tensor (None: zeros) for each learnable parameter, which is written beside its
    values (snapshot_diff).
    """
    message = caffe_pb2.NetParameter(name=graph.name)
    for node in graph.nodes:
        message.layer.append(_layer_message(node))
    values = [
        [get(arena.data[p], graph.params[p].shape) for p in node.params] for node in graph.nodes
    ]
    write_net(path, message, values, diffs=_diffs(graph, arena, diffs))


def stored_bytes(graph: Graph, *, diffs: bool = False) -> int:
    """Bytes of the values in a binary caffemodel, where every layer has its shared blobs, too.

    ``diffs``: with gradients.
    """
    values = sum(count(graph.params[p].shape) for node in graph.nodes for p in node.params)
    return 4 * values * (2 if diffs else 1)


def too_big(what: str, size: int, remedy: str) -> str:
    """A warning for a binary file that is too big for other programs; else empty."""
    if size <= PROTOBUF_BYTES:
        return ""
    others = (
        f"protobuf's libraries, and so Caffe, read no more than {PROTOBUF_BYTES / 1e9:.1f} GB of a"
        " file, caffepy all of it"
    )
    return f"{what}: {size / 1e9:.1f} GB; {others}; needed for the others: {remedy}"


def save_hdf5(
    path: str, graph: Graph, arena: Arena, *, diffs: Sequence[Tensor | None] | None = None
) -> None:
    """Write a ``.caffemodel.h5``.

    Only the layer that owns a shared blob has its values; all layers that share it have its diff.
    """
    layers = [(node.name, [_own(graph, arena, p) for p in node.params]) for node in graph.nodes]
    write_net_hdf5(path, layers, diffs=_diffs(graph, arena, diffs))


def save_as(path: str | os.PathLike[str], graph: Graph, arena: Arena) -> None:
    """Write a caffemodel: HDF5 if the name of the file ends in ``.h5``, else binary."""
    file = os.fspath(path)
    write = save_hdf5 if file.endswith(".h5") else save
    write(file, graph, arena)


def _own(graph: Graph, arena: Arena, index: int) -> Array | None:
    return get(arena.data[index]) if graph.params[index].owner == index else None


def _layer_message(node: Node) -> caffe_pb2.LayerParameter:
    """The layer's LayerParameter, with the loss_weight that Caffe's losses add to theirs."""
    message = caffe_pb2.LayerParameter()
    message.CopyFrom(node.layer.param)
    if node.layer.is_loss and not message.loss_weight and any(node.loss_weights):
        message.loss_weight.append(1.0)
    return message


def _diffs(
    graph: Graph, arena: Arena, diffs: Sequence[Tensor | None] | None
) -> list[list[Array]] | None:
    if diffs is None:
        return None
    by_owner = dict(zip(graph.learnable, diffs))
    arrays = []
    for node in graph.nodes:
        row = []
        for index in node.params:
            diff = by_owner[graph.params[index].owner]
            shape = graph.params[index].shape
            row.append(np.zeros(shape, np.float32) if diff is None else get(diff, shape))
        arrays.append(row)
    return arrays
