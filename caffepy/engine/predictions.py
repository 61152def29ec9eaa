"""The part of a net that computes predictions, from its inputs to its outputs or losses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from caffepy.engine.node_errors import node_errors
from caffepy.errors import NetError
from caffepy.layers.core.base import TEST, Run, Shape
from caffepy.layers.core.random import CaffeRandom
from caffepy.net import Graph, Node, reshaped

SCORES = ("Accuracy", "SegAccuracy")
"""Layers that score predictions. In a net without a loss, the predictions are what they read."""
ENDS = ("Accuracy", "SegAccuracy", "Silence", "HDF5Output")
"""Layers at which the part ends, as at losses. What they read is no output of it."""
AFTERWARDS = ("DetectionOutput",)
"""Layers that process predictions, and are left to the user. What they read is an output."""


@dataclass(frozen=True)
class Part:
    """A part of a net.

    ``graph``: has only the nodes that compute something, and no automatic Split layers.
    ``inputs``, ``outputs``: indices in graph.values.
    """

    graph: Graph
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes of the part, in order."""
        return self.graph.nodes

    def shape(self, value: int) -> Shape:
        """Shape of a value."""
        return self.graph.values[value].shape

    def name(self, value: int) -> str:
        """Name of the blob that a value is."""
        return self.graph.values[value].name

    def input_shapes(self, *, more: int = 0, axis: int = 0) -> dict[int, Shape]:
        """The shapes of the inputs with ``more`` items in the batch.

        ``axis``: that of the batch, in the first input; it is 1 if axis 0 is time.
        """
        shapes = {value: self.shape(value) for value in self.inputs}
        batch = next((shape[axis] for shape in shapes.values() if len(shape) > axis), 0)

        def grown(shape: Shape) -> Shape:
            if shape[axis : axis + 1] != (batch,):
                return shape
            return (*shape[:axis], batch + more, *shape[axis + 1 :])

        return {value: grown(shape) for value, shape in shapes.items()}

    def reshaped(self, shapes: Mapping[int, Shape]) -> Part:
        """This part for inputs of these shapes. LayerError if a layer cannot take them.

        The layers are set to the new shapes.
        """
        return replace(self, graph=reshaped(self.graph, dict(shapes)))

    def forward(
        self, feeds: Mapping[int, Tensor], blobs: Mapping[int, Tensor]
    ) -> dict[int, Tensor]:
        """Compute all values of the part.

        ``feeds``: the inputs, by value. ``blobs``: the parameters, by index in graph.params.
        """
        values = dict(feeds)
        random = CaffeRandom(0)
        with torch.no_grad():
            for node in self.nodes:
                with node_errors(node):
                    parameters = [blobs[p].view(self.graph.params[p].shape) for p in node.params]
                    tops = node.layer.forward(
                        [values[v] for v in node.bottoms], parameters, Run(TEST, random)
                    )
                values.update(zip(node.tops, tops))
        return values


def predictions(graph: Graph, *, afterwards: bool = False) -> Part:
    """The part of a TEST graph up to its losses. NetError if it computes nothing.

    ``afterwards``: with the layers that process predictions.
    """
    nodes, outputs = _without_splits(graph)
    losses = [node for node in nodes if node.layer.is_loss]
    scores = [node for node in nodes if node.type in SCORES]
    predicted = [*outputs, *(node.bottoms[0] for node in losses or scores)]
    if afterwards:
        return _part(graph, nodes, predicted, ends=ENDS)
    predicted += [value for node in nodes if node.type in AFTERWARDS for value in node.bottoms]
    return _part(graph, nodes, predicted)


def body(graph: Graph, blobs: Iterable[str] = ()) -> tuple[Part, list[Node]]:
    """The part that `predictions` returns with more outputs, and the nodes of the rest of the net.

    Outputs are also the values that the rest of the net reads, those with a loss weight, and the
    final values of the named ``blobs``. NetError if the part computes nothing.
    """
    nodes, outputs = _without_splits(graph)
    computed = {node.index for node in _computing(graph, nodes)}
    rest = [node for node in nodes if node.index not in computed]
    wanted = [
        *outputs,
        *(graph.final[name] for name in blobs),
        *(value for node in rest for value in node.bottoms),
    ]
    wanted += [
        value for node in nodes for value, weight in zip(node.tops, node.loss_weights) if weight
    ]
    return _part(graph, nodes, wanted), rest


def fed(graph: Graph, node: Node) -> bool:
    """Whether the tops of ``node`` are given or made up, and not computed from others."""
    return graph.is_outside(node) or node.type == "DummyData"


def _part(
    graph: Graph,
    nodes: Sequence[Node],
    outputs: Iterable[int],
    *,
    ends: Sequence[str] = (*ENDS, *AFTERWARDS),
) -> Part:
    """The part that computes those of the ``outputs`` that come before the losses and ``ends``."""
    computes = _computing(graph, nodes, ends)
    made = {value for node in computes for value in node.tops}
    wanted = tuple(dict.fromkeys(value for value in outputs if value in made))
    if not wanted:
        raise NetError(
            f"net '{graph.name}' computes no prediction; needed: a layer that is no loss,"
            " between its inputs and outputs"
        )
    needed = set(wanted)
    kept: list[Node] = []
    for node in reversed(computes):
        if needed & set(node.tops):
            kept.append(node)
            needed.update(node.bottoms)
    inputs = tuple(sorted(needed - made))
    return Part(replace(graph, nodes=tuple(reversed(kept)), sources={}), inputs, wanted)


def _computing(
    graph: Graph, nodes: Sequence[Node], ends: Sequence[str] = (*ENDS, *AFTERWARDS)
) -> list[Node]:
    """The nodes from the inputs up to the losses, and to layers of the types ``ends``."""
    known = {value for node in nodes if fed(graph, node) for value in node.tops}
    computes = []
    for node in nodes:
        # A layer that reads a loss comes after the end, too.
        is_end = node.type in ends or node.layer.is_loss
        if not (fed(graph, node) or is_end) and set(node.bottoms) <= known:
            computes.append(node)
            known.update(node.tops)
    return computes


def _without_splits(graph: Graph) -> tuple[list[Node], list[int]]:
    """The nodes without automatic Split layers, and the outputs.

    Where they read the top of such a layer, they now read its bottom.
    """
    origin = list(range(len(graph.values)))
    nodes = []
    for node in graph.nodes:
        bottoms = tuple(origin[value] for value in node.bottoms)
        if node.is_automatic_split:
            for top in node.tops:
                origin[top] = bottoms[0]
        else:
            nodes.append(replace(node, bottoms=bottoms))
    return nodes, [origin[value] for value in graph.outputs]
