"""A graph made ready to run: for each step its tensors, what it may overwrite, and what can be freed after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from torch import Tensor

from caffepy.engine.arena import Arena
from caffepy.engine.blame import gradient_refusal
from caffepy.engine.inplace import Forward, node_forward
from caffepy.layers.base import Run
from caffepy.net.graph import Graph, Node


@dataclass
class Step:
    """One node, or two that are computed together (`node` is the first).

    ``bottoms``: (value, whether its gradient is wanted). ``losses``: (value, weight, whether the weight starts a gradient).
    ``keeps``: output values. ``frees``: values that nothing reads later. ``refusal``: why it cannot run backward, if it cannot.
    """

    node: Node
    forward: Forward
    bottoms: list[tuple[int, bool]]
    tops: tuple[int, ...]
    blobs: list[Tensor]
    backward: bool
    losses: list[tuple[int, float, bool]] = field(default_factory=list)
    keeps: list[int] = field(default_factory=list)
    frees: list[int] = field(default_factory=list)
    refusal: str = ""


def plan(graph: Graph, arena: Arena, runs: Sequence[Run]) -> list[Step]:
    """The steps of ``graph`` in order; sets ``inplace`` of the runs."""
    readers = _readers(graph)
    producer = {value: node for node in graph.nodes for value in node.tops}
    steps: list[Step] = []
    absorbed: set[int] = set()
    for position, node in enumerate(graph.nodes):
        if position in absorbed:
            continue
        follower = _follower(graph, node, readers)
        if follower is not None:
            absorbed.add(follower.index)
        steps.append(_step(arena, node, follower))
        free = [_may_overwrite(graph, value, readers, producer) for value in node.bottoms]
        runs[node.index].inplace = bool(free) and free[0]
        runs[node.index].second_free = len(free) > 1 and free[1]
    for step in steps:
        step.refusal = gradient_refusal(step.node, graph) if step.backward else ""
        step.losses = [loss for node in graph.nodes if node.index == step.node.index for loss in _losses(graph, node, readers)]
    _lifetimes(graph, steps)
    return steps


def _step(arena: Arena, node: Node, follower: Node | None) -> Step:
    blobs = arena.blobs(node)
    if follower is None:
        bottoms = list(zip(node.bottoms, node.propagate_down))
        return Step(node, node_forward(node), bottoms, node.tops, blobs, node.backward)
    together = node.layer.absorb(follower.layer)
    if together is None:
        raise ValueError(f"{node.name} does not absorb {follower.name}")
    down = node.propagate_down if node.backward else (False,) * len(node.bottoms)
    return Step(node, together, list(zip(node.bottoms, down)), follower.tops, blobs + arena.blobs(follower), follower.backward)


def _readers(graph: Graph) -> dict[int, list[Node]]:
    readers: dict[int, list[Node]] = {v: [] for v in range(len(graph.values))}
    for node in graph.nodes:
        for value in node.bottoms:
            readers[value].append(node)
    return readers


def _follower(graph: Graph, node: Node, readers: dict[int, list[Node]]) -> Node | None:
    """The one reader of the node's only top, if the two can be computed in one go."""
    if len(node.tops) != 1 or len(readers[node.tops[0]]) != 1 or any(node.loss_weights):
        return None
    reader = readers[node.tops[0]][0]
    if len(reader.bottoms) != 1 or (not all(reader.propagate_down) and reader.backward):
        return None
    return reader if node.layer.absorb(reader.layer) is not None else None


def _may_overwrite(graph: Graph, value: int, readers: dict[int, list[Node]], producer: dict[int, Node]) -> bool:
    maker = producer[value]
    return (
        len(readers[value]) == 1
        and value not in graph.outputs
        and maker.index not in graph.sources
        and maker.type != "Input"
        and bool(maker.bottoms)
        and not maker.layer.keeps_top
        and not maker.layer.aliases_bottom
        and not any(maker.loss_weights)
    )


def _losses(graph: Graph, node: Node, readers: dict[int, list[Node]]) -> list[tuple[int, float, bool]]:
    """A loss weight starts a gradient only where no reader's backward overwrites the blob's diff."""
    return [
        (value, weight, node.backward and not any(_propagates(reader, value) for reader in readers[value]))
        for value, weight in zip(node.tops, node.loss_weights)
        if weight
    ]


def _propagates(reader: Node, value: int) -> bool:
    return reader.backward and any(down for bottom, down in zip(reader.bottoms, reader.propagate_down) if bottom == value)


def _lifetimes(graph: Graph, steps: list[Step]) -> None:
    outputs = set(graph.outputs)
    seen: set[int] = set()
    for step in reversed(steps):
        step.keeps = [value for value in step.tops if value in outputs]
        for value in (*step.tops, *(v for v, _ in step.bottoms)):
            if value not in seen:
                seen.add(value)
                step.frees.append(value)
