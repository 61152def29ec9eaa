"""Steps of a TEST pass in one call, where the calls and not the arithmetic take the time."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from torch import Tensor

from caffepy.engine.bounded_graph import BoundedGraph, Piece
from caffepy.engine.fastest_graph import FastestGraph
from caffepy.engine.joining import Tell, inputs_of, joined, left_by, run_steps
from caffepy.engine.layer_sizes import compute_little
from caffepy.engine.plan import Step
from caffepy.layers.core.base import Run
from caffepy.net.graph import Graph, Node

LARGE_FLOPS = 25_000_000
"""For layers with as many the calls do not count, and torch's own use of oneDNN is as fast."""
WORTH_S = 0.1
"""A graph is made after passes of so many seconds: making it takes as long as some passes."""


def in_one_call(
    steps: Sequence[Step], graph: Graph, tell: Tell, threads: Sequence[int]
) -> list[Step]:
    """Join steps in a row to one that is called once a pass, as an `operator_graph`.

    That is for a TEST net with frozen parameters. Steps whose operators depend on the values stay
    by themselves. Returns ``steps`` as they are where the arithmetic takes the time. ``tell``: see
    `run_steps`. ``threads``: numbers of them that a graph may compute on; the fastest counts.
    """
    if not _is_small(steps, graph):
        return list(steps)
    found: list[Step] = []
    row: list[Step] = []
    for step in steps:
        if not _may_follow(step, row):
            found += _as_one(row, tell, threads)
            row = []
        if _may_follow(step, row):
            row.append(step)
        else:
            found.append(step)
    return [*found, *_as_one(row, tell, threads)]


def _as_one(row: Sequence[Step], tell: Tell, threads: Sequence[int]) -> list[Step]:
    return [_OneCall(row, tell, threads).step] if len(row) > 1 else list(row)


def _may_follow(step: Step, row: Sequence[Step]) -> bool:
    """Whether a graph of ``row`` can go on with ``step``, and leaves its inputs as they are."""
    made = {value for each in row for value in each.tops}
    overwrites = (step.run.inplace, step.run.second_free)
    return (
        bool(step.inputs)
        and not (step.outside or step.reshapes)
        and all(node.layer.batches.traceable for node in step.nodes)
        and all(v in made for v, overwritten in zip(step.inputs, overwrites) if overwritten)
    )


def _is_small(steps: Sequence[Step], graph: Graph) -> bool:
    return is_small([node for step in steps for node in step.nodes], graph)


def is_small(nodes: Sequence[Node], graph: Graph) -> bool:
    """Whether the calls of these ``nodes`` take as long as what they compute."""
    return compute_little(nodes, graph, LARGE_FLOPS)


class _OneCall:
    """``steps`` as one ``step``: at first one by one, later by a graph for bottoms of one shape."""

    def __init__(self, steps: Sequence[Step], tell: Tell, threads: Sequence[int]) -> None:
        self._steps = list(steps)
        self._tell = tell
        self._threads = threads
        self._given = inputs_of(steps)
        self._left = left_by(steps)
        self._graph: FastestGraph | None = None
        self._made_for: tuple[object, ...] = ()
        self._spent_s = 0.0
        self._fastest_s = math.inf
        self.step = joined(steps, self._forward, self._given, self._left)

    def _forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        form = BoundedGraph.form(bottoms)
        if self._graph is not None and self._made_for == form:
            tops = self._graph.tops(bottoms)
            return self._one_by_one(bottoms) if tops is None else tops
        if self._spent_s > WORTH_S and self._made_for != form:
            self._made_for = form  # where it fails it is not tried again
            self._graph = self._made(bottoms)
            self._spent_s = 0.0
            self._fastest_s = math.inf
        started = time.perf_counter()
        tops = self._one_by_one(bottoms)
        took = time.perf_counter() - started
        self._spent_s += took
        self._fastest_s = min(self._fastest_s, took)
        return tops

    def _made(self, bottoms: Sequence[Tensor]) -> FastestGraph | None:
        pieces = [
            Piece(step.nodes, step.forward, step.run, step.inputs, step.tops, step.blobs)
            for step in self._steps
        ]
        return FastestGraph.made(
            self._threads, pieces, self._given, self._left, bottoms, within_s=self._fastest_s
        )

    def _one_by_one(self, bottoms: Sequence[Tensor]) -> tuple[Tensor, ...]:
        values = run_steps(self._steps, dict(zip(self._given, bottoms)), self._tell)
        return tuple(values[value] for value in self._left)
