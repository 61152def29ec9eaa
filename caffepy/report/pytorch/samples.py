"""Random values for the inputs of a net that is checked.

Where a layer looks something up by an input, its values are ones that it can find.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from caffepy.net.graph import Graph, Node

Makes = Callable[[np.random.Generator, "tuple[int, ...]"], Any]

MOVING = ("Slice", "Flatten", "Reshape", "Permute", "Concat", "Split", "Tile")
"""Layers whose tops hold the bottoms' numbers as they are."""


def samples(graph: Graph, nodes: Sequence[Node], inputs: Sequence[int]) -> dict[int, Tensor]:
    """A value for each of the inputs, the same in each run."""
    random = np.random.default_rng(1701)
    makes: dict[int, Makes] = {}
    for node in reversed(nodes):
        makes |= _asked(graph, node)
        if node.type in MOVING:
            makes |= {bottom: makes[top] for top in node.tops if top in makes for bottom in node.bottoms if bottom not in makes}
    found = {}
    for value in inputs:
        shape = graph.values[value].shape
        make = makes.get(value, _normal)
        found[value] = torch.from_numpy(np.asarray(make(random, shape), np.float32).reshape(shape))
    return found


def _normal(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return random.standard_normal(shape)


def _integers(most: int, least: int = 0) -> Makes:
    return lambda random, shape: random.integers(least, max(most, least + 1), shape)


def _asked(graph: Graph, node: Node) -> Mapping[int, Makes]:
    """What a layer's bottoms must hold."""
    layer: Any = node.layer
    shapes = [graph.values[value].shape for value in node.bottoms]
    if node.type in ("SoftmaxWithLoss", "HingeLoss"):
        axis = layer.axis if node.type == "SoftmaxWithLoss" else 1
        return {node.bottoms[1]: _integers(shapes[0][axis])}
    if node.type in ("SigmoidCrossEntropyLoss", "ContrastiveLoss"):
        return {node.bottoms[-1]: _integers(2)}
    if node.type == "Embed":
        return {node.bottoms[0]: _integers(layer.input_dim, -1)}
    if node.type in ("LSTM", "RNN"):
        return {node.bottoms[1]: _integers(2)}
    if node.type == "BatchReindex":
        return {node.bottoms[1]: _integers(shapes[0][0])}
    if node.type == "Filter":
        return {node.bottoms[-1]: lambda random, shape: np.arange(np.prod(shape)).reshape(shape) % 2}
    if node.type in ("Upsample", "Unpooling") and len(shapes) > 1:
        height, width = graph.values[node.tops[0]].shape[2:]
        return {node.bottoms[1]: _apart(height * width)}
    if node.type == "ROIPooling":
        return {node.bottoms[1]: _regions(shapes[0], layer.param.roi_pooling_param.spatial_scale)}
    return {}


def _apart(places: int) -> Makes:
    """A place of its own for each value of a plane."""

    def make(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
        planes = [random.permutation(places)[: shape[2] * shape[3]] for _ in range(shape[0] * shape[1])]
        return np.stack(planes).reshape(shape)

    return make


def _regions(image: tuple[int, ...], scale: float) -> Makes:
    """Items of the batch and corners, inside the picture."""

    def make(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
        size = (np.array(image[2:]) - 1) / scale
        corners = np.sort(random.random((shape[0], 2, 2)), axis=1) * size
        items = random.integers(0, image[0], shape[0])
        top, left, bottom, right = (corners[:, i, j] for i in (0, 1) for j in (0, 1))
        return np.stack([items, left, top, right, bottom], 1)

    return make
