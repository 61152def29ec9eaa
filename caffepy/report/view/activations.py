"""What a net makes of one picture or record: the feature maps of its layers, and the likeliest classes."""

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
from caffepy.report.view.statistics import statistics

Floats = npt.NDArray[np.float32]
LIKELIEST = 5


@dataclass(frozen=True)
class Detail:
    """How many channels of a layer the page keeps, and how large."""

    most: int
    largest_px: int


FEW, ALL = Detail(49, 32), Detail(1024, 128)
"""Of all layers, so that a page stays some MB large; of the layers that were asked for by name."""


def activations_data(graph: Graph, part: Part, feed: Feed, blobs: Mapping[int, Tensor], *, named: Collection[str] = ()) -> dict[str, Any]:
    """What the page shows of one pass.  ``named``: layers to show whole, before others.  ``blobs``: the parameters."""
    check_names(graph, named)
    values = passed(part, feed, blobs)
    changed = {node.bottoms[0] for node in part.nodes if node.in_place}
    computed = {node.name: node for node in part.nodes}
    layers = []
    for node in graph.nodes:
        if node.is_automatic_split:
            continue
        own = computed.get(node.name)
        layers.append(layer_data(own, values, named, changed) if own else {})
    return {
        "title": feed.title,
        "notes": feed.notes,
        "picture": thumbnail(feed.picture),
        "classes": [classes(graph, part, value, values[value]) for value in reversed(part.outputs) if has_classes(values[value])],
        "layers": layers,
    }


def check_names(graph: Graph, named: Collection[str]) -> None:
    """NetError for a name that is no layer's."""
    known = [node.name for node in graph.nodes]
    for name in named:
        if name not in known:
            raise NetError(f"-layer {name}: the net has no layer of this name{nearest(name, known)}")


def passed(part: Part, feed: Feed, blobs: Mapping[int, Tensor]) -> dict[int, Tensor]:
    """All values of a pass, for the one item; a net that takes no other batch than its own gets the item as often as that has room."""
    single = {value: tuple(item.shape) for value, item in feed.values.items()}
    with suppress(LayerError):
        return part.reshaped(single).forward(feed.values, blobs)
    whole = {value: part.shape(value) for value in feed.values}
    many = {value: item.expand(whole[value][0], *item.shape[1:]).contiguous() for value, item in feed.values.items()}
    return part.reshaped(whole).forward(many, blobs)


def layer_data(node: Node, values: Mapping[int, Tensor], named: Collection[str], changed: Collection[int]) -> dict[str, Any]:
    """The tops of one layer; ``changed``: values that a layer then overwrites in place, whose maps few want to see."""
    detail = ALL if node.name in named else FEW
    tops = []
    for value in node.tops:
        item: Floats = values[value].detach().numpy()[:1].astype(np.float32)
        top: dict[str, Any] = {"statistics": statistics(item)}
        if item.ndim == 4 and item.shape[2] * item.shape[3] > 1:
            channels = item[0]
            top["of"] = len(channels)
            top["silent"] = np.flatnonzero((channels == 0).all(axis=(1, 2))).tolist()
            if value not in changed or node.name in named:
                top["maps"] = maps(channels, detail.most, detail.largest_px).data()
        tops.append(top)
    return {"tops": tops}


def has_classes(value: Tensor) -> bool:
    """Whether it is a score for each of several classes, of one item or more."""
    return value.dim() >= 2 and value.shape[1] > 1 and value[0].numel() == value.shape[1]


def classes(graph: Graph, part: Part, value: int, scores: Tensor) -> dict[str, Any]:
    """The likeliest classes by one output, best first; scores that go into a softmax loss become probabilities."""
    row = scores[0].detach().reshape(-1).float()
    is_probability = any(node.type == "Softmax" and value in node.tops for node in part.nodes)
    name = part.name(value)
    turned = not is_probability and any(node.type.startswith("SoftmaxWithLoss") and name_reads(graph, node, name) for node in graph.nodes)
    if turned:
        row = torch.softmax(row, 0)
    best = torch.argsort(-row, stable=True)[:LIKELIEST].tolist()
    how = "probability" if turned or is_probability else "score"
    return {"blob": name, "how": how, "best": [[index, float(row[index])] for index in best]}


def name_reads(graph: Graph, node: Node, name: str) -> bool:
    """Whether a layer's first bottom is this blob, also through an automatic Split layer."""
    makers = {value: maker for maker in graph.nodes if maker.is_automatic_split for value in maker.tops}
    value = node.bottoms[0]
    maker = makers.get(value)
    return graph.values[maker.bottoms[0] if maker else value].name == name


def thumbnail(picture: Floats | None) -> str:
    """The picture that the net was shown as a ``data:`` address; empty where it is none."""
    if picture is None:
        return ""
    return png_address(scaled(picture, *limits(picture)).transpose(1, 2, 0))


def labelled(found: Sequence[dict[str, Any]], labels: Sequence[str]) -> None:
    """Put the names of the classes into `classes`; those beyond the list keep their number."""
    for output in found:
        output["best"] = [[labels[index] if index < len(labels) else f"class {index}", score] for index, score in output["best"]]
