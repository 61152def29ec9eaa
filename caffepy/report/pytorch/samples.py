"""Random values for the inputs of a net that is checked.

Where a layer looks something up by an input, its values are ones that it can find.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from caffepy.layers.core.base import Shape, count
from caffepy.net.graph import Graph, Node
from caffepy.report.pytorch.sample_values import Integers, Makes, asked, normal

MOVING = ("Slice", "Flatten", "Reshape", "Permute", "Concat", "Split", "Tile")
"""Layers whose tops hold the bottoms' numbers as they are."""


def samples(graph: Graph, nodes: Sequence[Node], inputs: Sequence[int]) -> dict[int, Tensor]:
    """A value for each of the inputs, the same in each run."""
    random = np.random.default_rng(1701)
    asks: dict[int, tuple[Makes, Shape]] = {}
    for node in reversed(nodes):
        for value, make in asked(graph, node).items():
            asks[value] = make, graph.values[value].shape
        if node.type in MOVING:
            _move(graph, node, asks)
    found = {}
    for value in inputs:
        shape = graph.values[value].shape
        make, made_shape = asks.get(value, (normal, shape))
        made = np.asarray(make(random, made_shape), np.float32)
        found[value] = torch.from_numpy(made.reshape(shape))
    return found


def _move(graph: Graph, node: Node, asks: dict[int, tuple[Makes, Shape]]) -> None:
    """What is asked of a layer's tops is asked of its bottoms.

    Rows and the like are only if the bottom has as many values as they.
    """
    for top in node.tops:
        if top not in asks:
            continue
        make, shape = asks[top]
        for bottom in node.bottoms:
            own = graph.values[bottom].shape
            if bottom not in asks and isinstance(make, Integers):
                asks[bottom] = make, own
            elif bottom not in asks and count(own) == count(shape):
                asks[bottom] = make, shape
