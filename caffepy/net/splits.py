"""Automatic Split layers: each reader of a blob that several layers read gets a top of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from types import MappingProxyType

from caffepy.errors import LayerError, nearest
from caffepy.net.filter import Where
from caffepy.net.layer_errors import layer_errors
from caffepy.proto import caffe_pb2

Top = tuple[int, int]
"""(layer index, top index): one state of a blob."""


def insert_splits(
    net: caffe_pb2.NetParameter, where: Where, left_out: Mapping[str, str] = MappingProxyType({})
) -> tuple[caffe_pb2.NetParameter, list[int]]:
    """``net`` with Split layers added and named as in Caffe, and each layer's index in ``net``.

    A Split layer has the index of the layer whose top it splits. Only the last in-place state of a
    blob is split. A top with a loss weight counts as one more reader, and the weight moves to the
    split's first top. ``left_out``: blobs of layers that rules keep out of ``net``, and these
    layers' names, for the error of a bottom without a producer.
    """
    last: dict[str, Top] = {}
    source: dict[Top, Top] = {}
    readers: dict[Top, int] = defaultdict(int)
    weight: dict[Top, float] = {}
    for i, layer in enumerate(net.layer):
        for j, blob in enumerate(layer.bottom):
            if blob not in last:
                hint = nearest(blob, last)
                if blob in left_out:
                    rules = "its rules keep it out of this phase, level and stage"
                    hint = f"; '{left_out[blob]}' does, but {rules}"
                with layer_errors(layer.name, layer.type, lambda *path, i=i: where(i, *path)):
                    raise LayerError(
                        f"Unknown bottom blob '{blob}' (bottom index {j}): no layer before"
                        f" it produces it{hint}",
                        ("bottom", j),
                    )
            source[i, j] = last[blob]
            readers[last[blob]] += 1
        for j, blob in enumerate(layer.top):
            last[blob] = (i, j)
        for blob, loss_weight in zip(layer.top, layer.loss_weight):
            weight[last[blob]] = loss_weight
            if loss_weight:
                readers[last[blob]] += 1

    result = type(net)()
    result.CopyFrom(net)
    del result.layer[:]
    origins: list[int] = []
    used: dict[Top, int] = defaultdict(int)
    for i, layer in enumerate(net.layer):
        copy = result.layer.add()
        copy.CopyFrom(layer)
        origins.append(i)
        for j, blob in enumerate(layer.bottom):
            top = source[i, j]
            if readers[top] > 1:
                copy.bottom[j] = f"{_split_name(net, top, blob)}_{used[top]}"
                used[top] += 1
        for j, blob in enumerate(layer.top):
            top = (i, j)
            if readers[top] <= 1:
                continue
            split = result.layer.add()
            origins.append(i)
            name = _split_name(net, top, blob)
            split.name = name
            split.type = "Split"
            split.bottom.append(blob)
            split.top.extend(f"{name}_{k}" for k in range(readers[top]))
            if weight.get(top):
                split.loss_weight.extend([weight[top]] + [0.0] * (readers[top] - 1))
                del copy.loss_weight[:]
                used[top] += 1
    return result, origins


def _split_name(net: caffe_pb2.NetParameter, top: Top, blob: str) -> str:
    return f"{blob}_{net.layer[top[0]].name}_{top[1]}_split"
