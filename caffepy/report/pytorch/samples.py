"""Random values for the inputs of a net that is checked.

Where a layer looks something up by an input, its values are ones that it can find.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from caffepy.net.graph import Graph, Node
from caffepy.report.pytorch.sample_values import Makes, asked, normal

MOVING = ("Slice", "Flatten", "Reshape", "Permute", "Concat", "Split", "Tile")
"""Layers whose tops hold the bottoms' numbers as they are."""


def samples(graph: Graph, nodes: Sequence[Node], inputs: Sequence[int]) -> dict[int, Tensor]:
    """A value for each of the inputs, the same in each run."""
    random = np.random.default_rng(1701)
    makes: dict[int, Makes] = {}
    for node in reversed(nodes):
        makes |= asked(graph, node)
        if node.type in MOVING:
            makes |= {
                bottom: makes[top]
                for top in node.tops
                if top in makes
                for bottom in node.bottoms
                if bottom not in makes
            }
    found = {}
    for value in inputs:
        shape = graph.values[value].shape
        make = makes.get(value, normal)
        found[value] = torch.from_numpy(np.asarray(make(random, shape), np.float32).reshape(shape))
    return found
