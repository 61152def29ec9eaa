"""The steps of a pass of the layerwise engine.

A step is a node made ready to run on its blobs, for bottoms of certain shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from caffepy.data.source import Source
from caffepy.engine.blob import Blob
from caffepy.engine.node_errors import gradient_refusal
from caffepy.layers.core.base import Forward, Layer, Run, Shape
from caffepy.net.graph import Graph, Node


@dataclass
class LayerStep:
    """A node with its blobs.

    ``shapes``: the shapes of bottoms that ``forward`` is made for.
    ``learns``: the node runs backward.
    ``copies``: its tops need memory of their own.
    ``wanted``: for each bottom, whether backward writes its diff, and whether a layer overwrites it
    in place.
    ``losses``: tops with a loss weight.
    ``refusal``: why it cannot run backward, or empty.
    """

    node: Node
    forward: Forward
    run: Run
    source: Source | None
    bottoms: list[Blob]
    shapes: list[Shape]
    params: list[Blob]
    tops: list[Blob]
    learns: bool
    copies: bool
    wanted: list[tuple[bool, bool]]
    losses: list[tuple[Blob, float]]
    refusal: str


def layer_step(
    graph: Graph,
    node: Node,
    run: Run,
    *,
    blobs: Sequence[Blob],
    params: Sequence[Blob],
    overwritten: frozenset[str],
) -> LayerStep:
    """The step of ``node`` for its present shapes in ``graph``.

    ``blobs``: the blob of each value. ``params``: the blob of each parameter.
    ``overwritten``: see `names_overwritten`.
    """
    shapes = [graph.values[value].shape for value in node.bottoms]
    tops = [blobs[value] for value in node.tops]
    given = node.type == "Input"  # whoever runs the net fills an Input layer's tops
    filled_once = node.layer.memory.filled_once
    refilled = [i for i in range(len(tops)) if i not in filled_once]
    prepared = _nothing if given else node.layer.prepared(shapes)
    return LayerStep(
        node=node,
        forward=_refilled(node.layer, refilled) if filled_once else prepared,
        run=run,
        source=graph.sources.get(node.index),
        bottoms=[blobs[value] for value in node.bottoms],
        shapes=shapes,
        params=[params[index] for index in node.params],
        tops=[] if given else [tops[i] for i in refilled],
        learns=node.backward and not graph.is_outside(node),
        copies=node.layer.quirks.copies_tops and not node.in_place,
        wanted=[
            (down, graph.values[v].name in overwritten)
            for v, down in zip(node.bottoms, node.writes_down)
        ],
        losses=[(blob, weight) for blob, weight in zip(tops, node.loss_weights) if weight],
        refusal=gradient_refusal(node, graph) if node.backward else "",
    )


def names_overwritten(graph: Graph) -> frozenset[str]:
    """Names of the blobs that layers overwrite in place."""
    return frozenset(graph.values[node.bottoms[0]].name for node in graph.nodes if node.in_place)


def may_overwrite(graph: Graph, node: Node) -> bool:
    """Whether an in-place node may compute in the memory of its bottom.

    It may if no other blob lies there, and no gradient needs the bottom.
    """
    if not node.in_place or node.backward:
        return False
    producer = graph.producer(node.bottoms[0])
    return producer.tops_have_own_memory or producer.type == "Input"


def _refilled(layer: Layer, tops: Sequence[int]) -> Forward:
    """A forward that fills only these tops, by the layer's fillers."""

    def forward(bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        return tuple(layer.fill_top(i, run.random) for i in tops)

    return forward


def _nothing(bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
    return ()
