"""Plans the passes of the fast engines.

For each step: its tensors, what it may overwrite, and what can be freed after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from caffepy.engine.arena import Arena
from caffepy.engine.fusion.fuse import fuse
from caffepy.engine.fusion.fused import Fused
from caffepy.engine.half_parameters import HalfParameters, as_half
from caffepy.engine.node_errors import gradient_refusal
from caffepy.engine.numerics import lowered
from caffepy.layers.core.base import Forward, Run
from caffepy.net import AUTOMATIC
from caffepy.net.graph import UNKNOWN, Graph, Node


@dataclass(slots=True)
class Step:
    """A node, or several in a row that are computed together.

    ``nodes``: all of them; ``node`` is the first.
    ``outside``: the net does not compute its tops; it is a source or an Input layer.
    ``by_shape``: `fit` chooses its ``forward`` for the shapes of its bottoms.
    ``reshapes``: its tops may have another shape in each pass.
    ``bottoms``: (value, whether its gradient is wanted). ``inputs``: the values alone.
    ``params``: for each of ``blobs``, the index in Graph.params of its owner.
    ``views``: see `Arena.reshaped`.
    ``losses``: (value, weight). ``seeds``: (value, gradient) of the tops where gradients start.
    ``rewritten``: the ``losses`` of one element whose weight each backward pass changes.
    ``keeps``: tops that are outputs of the net. ``frees``: values that no later step reads.
    ``refusal``: why it cannot run backward, or empty.
    ``half_blobs``: ``blobs`` in 16 bits for a layer that computes products, see `HalfParameters`.
    """

    node: Node
    nodes: tuple[Node, ...]
    run: Run
    forward: Forward
    outside: bool
    by_shape: bool
    reshapes: bool
    bottoms: list[tuple[int, bool]]
    inputs: list[int]
    tops: tuple[int, ...]
    blobs: list[Tensor]
    params: tuple[int, ...]
    views: list[tuple[int, Tensor]]
    backward: bool
    losses: list[tuple[int, float]] = field(default_factory=list)
    seeds: list[tuple[int, float]] = field(default_factory=list)
    rewritten: list[tuple[int, float]] = field(default_factory=list)
    keeps: list[int] = field(default_factory=list)
    frees: list[int] = field(default_factory=list)
    refusal: str = ""
    half_blobs: list[Tensor] = field(default_factory=list)

    def parameters(self, *, half: bool = False) -> list[Tensor]:
        """``blobs`` for a pass with gradients, with the views made anew.

        ``half``: in 16 bits if the layer computes products.
        """
        blobs = list(self.blobs) if self.views else self.blobs
        for place, owner in self.views:
            blobs[place] = owner.view(blobs[place].shape)
        return as_half(blobs, self.half_blobs) if half and self.half_blobs else blobs

    def constants(self, *, half: bool = False) -> list[Tensor]:
        """``blobs`` for a pass without gradients. ``half``: as for `parameters`."""
        return self.half_blobs if half and self.half_blobs else self.blobs


def plan(
    graph: Graph,
    arena: Arena,
    runs: Sequence[Run],
    *,
    half: torch.dtype | None = None,
    half_parameters: HalfParameters | None = None,
) -> list[Step]:
    """The steps of ``graph`` in order.

    Sets ``inplace``, ``second_free`` and ``only_summed`` of the ``runs``. ``half``: see `numerics`.
    """
    readers = _readers(graph)
    producer = {value: node for node in graph.nodes for value in node.tops}
    summed = _only_summed(graph, readers)
    seeds = _seeds(graph, readers)
    weights = _weights(graph)
    steps: list[Step] = []
    done: set[int] = set()
    for node in graph.nodes:
        if node.index in done:
            continue
        row = [node, *_followers(node, readers)]
        fused = None
        if not (half and node.layer.precision.sums_products):
            fused = fuse(
                [each.layer for each in row],
                only_summed=[summed.issuperset(each.tops) for each in row],
            )
        row = row[: fused.count if fused else 1]
        done.update(each.index for each in row)
        run = runs[node.index]
        free = [_may_overwrite(graph, value, readers, producer) for value in node.bottoms]
        run.inplace = bool(free) and free[0]
        run.second_free = len(free) > 1 and free[1]
        run.only_summed = summed.issuperset(node.tops)
        step = _step(graph, arena, row, fused, run)
        if half_parameters and node.layer.precision.sums_products:
            step.half_blobs = half_parameters.of(step.blobs)
        step.losses = [(value, weights[value]) for value in row[-1].tops if value in weights]
        step.rewritten = [
            (value, weight)
            for value, weight in step.losses
            if not graph.values[value].shape
            and any(_propagates(reader, value) for reader in readers[value])
        ]
        step.seeds = [
            (value, seeds[value]) for value in row[-1].tops if row[-1].backward and value in seeds
        ]
        steps.append(step)
    _lifetimes(graph, steps)
    fit(steps, graph, half=half)
    return steps


def fit(steps: Sequence[Step], graph: Graph, *, half: torch.dtype | None = None) -> None:
    """Choose the ``forward`` of each step for the shapes of ``graph``, as far as they are known.

    ``graph``: the graph that was planned, but with other shapes.
    """
    for step in steps:
        shapes = [graph.values[value].shape for value in step.node.bottoms]
        if step.by_shape and UNKNOWN not in shapes:
            forward = step.node.layer.prepared(shapes)
            step.forward = lowered(step.node.layer, forward, half) if half else forward


def _step(graph: Graph, arena: Arena, row: Sequence[Node], fused: Fused | None, run: Run) -> Step:
    first = row[0]
    last = row[-1]
    down = first.writes_down if first.backward else (False,) * len(first.bottoms)
    outside = graph.is_outside(first)
    return Step(
        node=first,
        nodes=tuple(row),
        run=run,
        forward=fused.forward if fused else first.layer.forward,
        outside=outside,
        by_shape=not (fused or outside),
        reshapes=graph.sizes_itself(first),
        bottoms=list(zip(first.bottoms, down)),
        inputs=list(first.bottoms),
        tops=last.tops,
        blobs=[blob for node in row for blob in arena.blobs(node)],
        params=tuple(graph.params[index].owner for node in row for index in node.params),
        views=_views(arena, row),
        backward=last.backward,
        refusal=gradient_refusal(first, graph) if first.backward else "",
    )


def _views(arena: Arena, row: Sequence[Node]) -> list[tuple[int, Tensor]]:
    views: list[tuple[int, Tensor]] = []
    first = 0
    for node in row:
        views.extend((first + place, owner) for place, owner in arena.reshaped(node))
        first += len(node.params)
    return views


def _readers(graph: Graph) -> dict[int, list[Node]]:
    readers: dict[int, list[Node]] = {v: [] for v in range(len(graph.values))}
    for node in graph.nodes:
        for value in node.bottoms:
            readers[value].append(node)
    return readers


def _followers(node: Node, readers: dict[int, list[Node]]) -> list[Node]:
    """The nodes that follow ``node`` in a row: each is the only reader of the only top before it.

    No top between them is a loss.
    """
    followers: list[Node] = []
    while len(node.tops) == 1 and len(readers[node.tops[0]]) == 1 and not any(node.loss_weights):
        node = readers[node.tops[0]][0]
        if len(node.bottoms) != 1 or (node.backward and not all(node.writes_down)):
            break
        followers.append(node)
    return followers


def _only_summed(graph: Graph, readers: dict[int, list[Node]]) -> set[int]:
    """The values that are only read as terms of sums, see `fuse`."""
    summed: set[int] = set()

    def sums(reader: Node) -> bool:
        precision = reader.layer.precision
        return precision.sums_bottoms or (precision.keeps_small and summed.issuperset(reader.tops))

    for node in reversed(graph.nodes):
        summed.update(v for v in node.tops if readers[v] and all(map(sums, readers[v])))
    return summed


def _may_overwrite(
    graph: Graph, value: int, readers: dict[int, list[Node]], producer: dict[int, Node]
) -> bool:
    node = producer[value]
    return (
        len(readers[value]) == 1
        and value not in graph.outputs
        and node.tops_have_own_memory
        and not node.layer.memory.saves_top
        and not any(node.loss_weights)
    )


def _weights(graph: Graph) -> dict[int, float]:
    """The loss weight of each value that has one.

    If layers work in place, the weight of the last of them counts for their blob.
    """
    weights: dict[int, float] = {}
    blobs: dict[str, float] = {}
    for node in reversed(graph.nodes):
        for value, weight in zip(node.tops, node.loss_weights):
            if weight:
                name = graph.values[value].name
                weights[value] = weight if name == AUTOMATIC else blobs.setdefault(name, weight)
    return weights


def _seeds(graph: Graph, readers: dict[int, list[Node]]) -> dict[int, float]:
    """The values where gradients start, and the gradient of each.

    A blob's diff is its loss weight until the backward pass of a reader overwrites it. So a value
    with such a reader is no start. But a reader in place has the same diff: then its top is the
    start, with its own weight if it has one.
    """
    seeds: dict[int, float] = {}
    for node in graph.nodes:
        for value, weight in zip(node.tops, node.loss_weights):
            while weight and (
                above := [reader for reader in readers[value] if _propagates(reader, value)]
            ):
                if not (above[0].in_place and above[0].bottoms[0] == value):
                    break
                value = above[0].tops[0]
            else:
                if weight:
                    seeds[value] = weight
    return seeds


def overwrites_seed(graph: Graph) -> Node | None:
    """The first node that overwrites, in place, a diff that gradients start from, or None.

    Caffe sets the diffs of losses only once, so the next pass starts from what this one left. Only
    the reference engine does the same.
    """
    seeds = _seeds(graph, _readers(graph))
    nodes = (
        node for node in graph.nodes if node.in_place and node.backward and node.writes_down[0]
    )
    return next((node for node in nodes if node.tops[0] in seeds), None)


def overwrites_standing(graph: Graph) -> Node | None:
    """The first node that overwrites, in place, a top that is filled only once, or None.

    The next pass then reads what this one left. Only the reference engine does so.
    """
    standing = {node.tops[i] for node in graph.nodes for i in node.layer.memory.filled_once}
    return next(
        (node for node in graph.nodes if node.in_place and node.bottoms[0] in standing), None
    )


def _propagates(reader: Node, value: int) -> bool:
    return reader.backward and any(
        down for bottom, down in zip(reader.bottoms, reader.writes_down) if bottom == value
    )


def _lifetimes(graph: Graph, steps: list[Step]) -> None:
    outputs = set(graph.outputs)
    seen: set[int] = set()
    for step in reversed(steps):
        step.keeps = [value for value in step.tops if value in outputs]
        for value in (*step.tops, *(v for v, _ in step.bottoms)):
            if value not in seen:
                seen.add(value)
                step.frees.append(value)
