"""The engine of a caffe.Net of few and small layers, whose whole passes are one call.

Every blob can be looked at as in any other net.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.engine import one_call
from caffepy.engine.arena import Arena
from caffepy.engine.blob import Blob
from caffepy.engine.bounded_graph import BoundedGraph, Piece
from caffepy.engine.fastest_graph import FastestGraph
from caffepy.engine.layer_step import LayerStep
from caffepy.engine.layerwise import Around, LayerwiseEngine
from caffepy.engine.one_call import is_small
from caffepy.engine.threads import worth_trying
from caffepy.engine.watched_blob import WatchedBlob
from caffepy.layers.core.base import TEST, Forward, Run
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.graph import Graph

KEPT = 16
"""Graphs for inputs of as many shapes. They have copies of the parameters of convolutions."""


class OneCallEngine(LayerwiseEngine):
    """Runs whole forward passes by a `FastestGraph`, once some have been run layer by layer.

    A graph has the parameters as constants. So there is none while a script could write to them:
    while it has an array of one, or another net shares them.
    """

    def __init__(self, graph: Graph, arena: Arena, random: CaffeRandom) -> None:
        super().__init__(graph, arena, random)
        self._graphs: dict[tuple[object, ...], FastestGraph | None] = {}
        # of passes layer by layer: all together, and the fastest
        self._times_s: dict[tuple[object, ...], tuple[float, float]] = {}
        self._given = [value for node in graph.nodes if not node.bottoms for value in node.tops]
        # the last value of each blob
        final = {id(self.blob(v)): v for node in graph.nodes for v in node.tops if node.bottoms}
        self._left = list(final.values())
        self._may_call = not arena.borrowed

    def _new_param(self, data: Tensor) -> Blob:
        return WatchedBlob(data)

    def forward(
        self, start: int = 0, end: int | None = None, *, around: Around | None = None
    ) -> float:
        whole = start == 0 and end in (None, len(self.graph.nodes) - 1)
        if not (whole and self._may_call and around is None and self.on_forward is None):
            return super().forward(start, end, around=around)
        if self._touched():
            self._forget()
            return super().forward(start, end)
        inputs = [self.blob(value).data for value in self._given]
        form = BoundedGraph.form(inputs)
        if form not in self._graphs:
            return self._timed(form, inputs)
        graph = self._graphs[form]
        with torch.no_grad():
            tops = graph.tops(inputs) if graph is not None else None
        if tops is None:
            return super().forward(start, end)
        for value, top in zip(self._left, tops):
            self.blob(value).take(top)
        return 0.0

    def _timed(self, form: tuple[object, ...], inputs: Sequence[Tensor]) -> float:
        """A pass layer by layer; after enough of them the graph is made."""
        started = time.perf_counter()
        loss = super().forward()
        took = time.perf_counter() - started
        spent, fastest = self._times_s.get(form, (0.0, math.inf))
        spent += took
        fastest = min(fastest, took)
        self._times_s[form] = spent, fastest
        if spent > one_call.WORTH_S:
            self._graphs[form] = self._made(inputs, fastest) if len(self._graphs) < KEPT else None
        return loss

    def _made(self, inputs: Sequence[Tensor], within_s: float) -> FastestGraph | None:
        """The graph for ``inputs`` like these, where all layers can be in it."""
        steps = [step for step in self._steps if step.tops]
        nodes = [step.node for step in steps]
        small = nodes and is_small(nodes, self.graph)
        if not small or any(step.learns or not _may_be_recorded(step) for step in steps):
            return None
        with torch.no_grad():
            pieces = list(map(_piece, steps))
            threads = worth_trying(torch.get_num_threads())
            return FastestGraph.made(
                threads, pieces, self._given, self._left, inputs, within_s=within_s
            )

    def _touched(self) -> bool:
        """Whether a script may have written to parameters since the last call."""
        touched = False
        for blob in self._owners.values():
            # each is asked, as it tells what was since it was asked last
            if isinstance(blob, WatchedBlob) and blob.may_have_changed():
                touched = True
        return touched

    def _forget(self) -> None:
        """The parameters have changed: later passes make the graphs anew."""
        self._graphs.clear()
        self._times_s.clear()

    def use(self, arena: Arena) -> None:
        super().use(arena)
        self._forget()
        self._may_call = self._may_call and not arena.borrowed

    def sync(self) -> None:
        """The caller may be about to change the parameters."""
        super().sync()
        self._forget()

    def lend(self) -> Arena:
        """From now on the parameters may change at any time."""
        self._may_call = False
        return super().lend()


def _may_be_recorded(step: LayerStep) -> bool:
    return bool(step.bottoms) and step.source is None and step.node.layer.batches.traceable


def _piece(step: LayerStep) -> Piece:
    node = step.node
    forward = _copied(step.forward) if step.copies else step.forward
    return Piece([node], forward, step.run, node.bottoms, node.tops, [b.data for b in step.params])


def _copied(forward: Forward) -> Forward:
    """``forward`` with tops in memory of their own."""

    def copied(bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        return tuple(top.clone() for top in forward(bottoms, blobs, run))

    return copied


def one_call_engine(graph: Graph, arena: Arena, random: CaffeRandom) -> LayerwiseEngine:
    """The `OneCallEngine` of a TEST net on a CPU; a `LayerwiseEngine` of others."""
    if graph.phase == TEST and arena.device.type == "cpu":
        return OneCallEngine(graph, arena, random)
    return LayerwiseEngine(graph, arena, random)
