"""The part of a net that computes predictions: from its inputs, data layers among them, up to its outputs or where losses begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from caffepy.engine.blame import blame
from caffepy.errors import NetError
from caffepy.layers.base import TEST, Run, Shape
from caffepy.layers.random import CaffeRandom
from caffepy.net import Graph, Node, reshaped

FED = ("Input", "DummyData")
"""Layers whose tops are fed, as those of data layers are."""
ENDS = ("Accuracy", "SegAccuracy", "Silence", "HDF5Output")
"""Layers that nothing is computed from, beside losses; what they read is no output."""
AFTERWARDS = ("DetectionOutput",)
"""Layers that sort out predictions and are left to who uses them; what they read are outputs."""


@dataclass(frozen=True)
class Part:
    """``graph``: with the nodes that compute something, in order, and no automatic Split layers.

    ``inputs``, ``outputs``: indices in graph.values.
    """

    graph: Graph
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    @property
    def nodes(self) -> tuple[Node, ...]:
        """What is computed."""
        return self.graph.nodes

    def shape(self, value: int) -> Shape:
        """Shape of a value."""
        return self.graph.values[value].shape

    def name(self, value: int) -> str:
        """Name of the blob that a value is."""
        return self.graph.values[value].name

    def input_shapes(self, *, more: int = 0, axis: int = 0) -> dict[int, Shape]:
        """Shapes of the inputs, with ``more`` items in the batch, which is the first input's ``axis`` (1 where time comes first)."""
        shapes = {value: self.shape(value) for value in self.inputs}
        batch = next((shape[axis] for shape in shapes.values() if len(shape) > axis), 0)

        def grown(shape: Shape) -> Shape:
            return (*shape[:axis], batch + more, *shape[axis + 1 :]) if shape[axis : axis + 1] == (batch,) else shape

        return {value: grown(shape) for value, shape in shapes.items()}

    def reshaped(self, shapes: Mapping[int, Shape]) -> Part:
        """This part for inputs of these shapes; the layers are made ready for them. LayerError where they do not fit."""
        return replace(self, graph=reshaped(self.graph, dict(shapes)))

    def forward(self, feeds: Mapping[int, Tensor], blobs: Mapping[int, Tensor]) -> dict[int, Tensor]:
        """All values, from those of the inputs and from the parameters by their index in graph.params."""
        values = dict(feeds)
        random = CaffeRandom(0)
        with torch.no_grad():
            for node in self.nodes:
                with blame(node):
                    parameters = [blobs[p].view(self.graph.params[p].shape) for p in node.params]
                    tops = node.layer.forward([values[v] for v in node.bottoms], parameters, Run(TEST, random))
                values.update(zip(node.tops, tops))
        return values


def predictions(graph: Graph) -> Part:
    """The part of a TEST graph up to its losses. NetError where nothing is left."""
    nodes, outputs = _without_splits(graph)
    fed = {value for node in nodes if node.type in FED or node.index in graph.sources for value in node.tops}
    made: set[int] = set()
    computes = []
    for node in nodes:
        # what reads a loss comes after the cut too
        ends = node.type in (*ENDS, *AFTERWARDS) or node.layer.is_loss
        if not (set(node.tops) & fed or ends) and set(node.bottoms) <= fed | made:
            computes.append(node)
            made.update(node.tops)
    predicted = [*outputs, *(node.bottoms[0] for node in nodes if node.layer.is_loss)]
    predicted += [value for node in nodes if node.type in AFTERWARDS for value in node.bottoms]
    wanted = tuple(dict.fromkeys(value for value in predicted if value in made))
    if not wanted:
        raise NetError(f"net '{graph.name}' computes no prediction; needed: a layer that is no loss, between its inputs and outputs")
    needed = set(wanted)
    kept: list[Node] = []
    for node in reversed(computes):
        if needed & set(node.tops):
            kept.append(node)
            needed.update(node.bottoms)
    inputs = tuple(value for value in sorted(needed) if value in fed)
    return Part(replace(graph, nodes=tuple(reversed(kept)), sources={}), inputs, wanted)


def _without_splits(graph: Graph) -> tuple[list[Node], list[int]]:
    """The nodes and outputs with what automatic Split layers copy in place of the copies."""
    origin = list(range(len(graph.values)))
    nodes = []
    for node in graph.nodes:
        bottoms = tuple(origin[value] for value in node.bottoms)
        if node.type == "Split" and node.name.endswith("_split"):
            for top in node.tops:
                origin[top] = bottoms[0]
        else:
            nodes.append(replace(node, bottoms=bottoms))
    return nodes, [origin[value] for value in graph.outputs]
