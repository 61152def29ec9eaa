"""One forward pass as the page shows it: feature maps of the layers, and the likeliest classes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from caffepy.engine.predictions import Part
from caffepy.errors import LayerError, NetError, nearest
from caffepy.net.graph import Graph, Node
from caffepy.report.view.feeds import Feed
from caffepy.report.view.images import limits, maps, png_address, scaled
from caffepy.report.view.net_scene import origins
from caffepy.report.view.statistics import statistics

Floats = npt.NDArray[np.float32]
LIKELIEST = 5
PROBABILITY, SCORE = "probability", "score"


@dataclass(frozen=True)
class Detail:
    """How many channels of a layer the page keeps, and the longer side of each in pixels."""

    most: int
    largest_px: int


FEW = Detail(49, 32)
"""For every layer, which keeps a page at some MB."""
ALL = Detail(1024, 128)
"""For layers that are asked for by name."""


def activations_data(
    graph: Graph,
    part: Part,
    feed: Feed,
    blobs: Mapping[int, Tensor],
    *,
    named: Collection[str] = (),
) -> dict[str, Any]:
    """Run ``part`` on ``feed`` and collect what the page shows.

    ``blobs``: the parameters by index. ``named``: layers whose feature maps are kept in full.
    NetError if one of these is not in the net.
    """
    check_names(graph, named)
    values = forward(part, feed, blobs)
    overwritten = {node.bottoms[0] for node in part.nodes if node.in_place}
    computed = {node.name: node for node in part.nodes}
    layers: list[dict[str, Any]] = []
    for node in graph.nodes:
        if node.is_automatic_split:
            continue
        if node.name in computed:
            layers.append(layer_data(computed[node.name], values, named, overwritten))
        else:
            layers.append({})
    outputs = [value for value in reversed(part.outputs) if has_classes(values[value])]
    found = [classes(graph, part, value, values[value]) for value in outputs]
    return {
        "title": feed.title,
        "notes": feed.notes,
        "picture": thumbnail(feed.picture),
        "classes": sorted(found, key=lambda output: output["how"] != PROBABILITY),
        "layers": layers,
    }


def check_names(graph: Graph, named: Collection[str]) -> None:
    """NetError if one of these names is no layer's."""
    known = [node.name for node in graph.nodes]
    for name in named:
        if name not in known:
            raise NetError(f"-layer {name}: the net has no such layer{nearest(name, known)}")


def forward(part: Part, feed: Feed, blobs: Mapping[int, Tensor]) -> dict[int, Tensor]:
    """All values of a forward pass on a batch of one.

    A net that takes only its own batch size gets the item repeated.
    """
    single = {value: tuple(item.shape) for value, item in feed.values.items()}
    with suppress(LayerError):
        return part.reshaped(single).forward(feed.values, blobs)
    whole = {value: part.shape(value) for value in feed.values}
    repeated = {}
    for value, item in feed.values.items():
        repeated[value] = item.expand(whole[value][0], *item.shape[1:]).contiguous()
    return part.reshaped(whole).forward(repeated, blobs)


def layer_data(
    node: Node,
    values: Mapping[int, Tensor],
    named: Collection[str],
    overwritten: Collection[int],
) -> dict[str, Any]:
    """Statistics and feature maps of the tops of a layer.

    Feature maps that a later layer overwrites in place are kept only for a layer in ``named``.
    """
    detail = ALL if node.name in named else FEW
    tops = []
    for value in node.tops:
        item: Floats = values[value].detach().numpy()[:1].astype(np.float32)
        top: dict[str, Any] = {"statistics": statistics(item)}
        if item.ndim == 4 and item.shape[2] * item.shape[3] > 1:
            channels = item[0]
            top["of"] = len(channels)
            top["silent"] = np.flatnonzero((channels == 0).all(axis=(1, 2))).tolist()
            if value not in overwritten or node.name in named:
                top["maps"] = maps(channels, detail.most, detail.largest_px).data()
        tops.append(top)
    return {"tops": tops}


def has_classes(value: Tensor) -> bool:
    """Whether a value has the shape (N, classes), with any number of further axes of length 1."""
    return value.dim() >= 2 and value.shape[1] > 1 and value[0].numel() == value.shape[1]


def classes(graph: Graph, part: Part, value: int, scores: Tensor) -> dict[str, Any]:
    """The likeliest classes by one output, best first.

    Scores that the net gives to a SoftmaxWithLoss become probabilities.
    """
    row = scores[0].detach().reshape(-1).float()
    how = SCORE
    if any(node.type == "Softmax" and value in node.tops for node in part.nodes):
        how = PROBABILITY
    elif feeds_softmax_loss(graph, value):
        how = PROBABILITY
        row = torch.softmax(row, 0)
    best = torch.argsort(-row, stable=True)[:LIKELIEST].tolist()
    ranked = [[index, float(row[index])] for index in best]
    return {"blob": part.name(value), "how": how, "best": ranked}


def feeds_softmax_loss(graph: Graph, value: int) -> bool:
    """Whether a value is the first bottom of a SoftmaxWithLoss."""
    origin = origins(graph)
    losses = [node for node in graph.nodes if node.type == "SoftmaxWithLoss"]
    return any(origin[node.bottoms[0]] == value for node in losses)


def thumbnail(picture: Floats | None) -> str:
    """An image (C, H, W) as a ``data:`` address; empty for None."""
    if picture is None:
        return ""
    return png_address(scaled(picture, *limits(picture)).transpose(1, 2, 0))


def put_labels(found: Sequence[dict[str, Any]], labels: Sequence[str]) -> None:
    """Replace class numbers by labels in what `classes` returned.

    A class without a label keeps its number. A score may be anything, such as a coordinate.
    """
    for output in found:
        kind = "class" if output["how"] == PROBABILITY else "value"
        for entry in output["best"]:
            index = entry[0]
            entry[0] = labels[index] if index < len(labels) else f"{kind} {index}"
