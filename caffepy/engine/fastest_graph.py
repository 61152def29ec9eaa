"""Graphs that compute the same on one thread and on more, of which the fastest is taken."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from caffepy.engine.bounded_graph import BoundedGraph, Piece
from caffepy.engine.threads import same_threads, set_threads

BLOCK_S = 0.02
"""What is compared is the mean of the passes of so long: some hundred, or turns of programs."""
BLOCKS = 100
"""In so many blocks each graph has one, and the fastest has the others."""


class FastestGraph:
    """The fastest of some graphs, each of which computes on its own number of threads.

    A second thread pays while it has a core for itself. Where it shares one with the first, or with
    other programs, each layer waits for it. As that changes, each graph is tried anew now and then.
    """

    def __init__(self, graphs: Mapping[int, BoundedGraph]) -> None:
        """``graphs``: by the number of threads."""
        self._graphs = list(graphs.values())
        self._threads = list(graphs)
        self._means_s = [0.0] * len(graphs)  # of a pass, in the last block of each graph
        self._block = 0
        self._start(0)

    @classmethod
    def made(
        cls,
        threads: Sequence[int],
        pieces: Sequence[Piece],
        given: Sequence[int],
        left: Sequence[int],
        inputs: Sequence[Tensor],
        *,
        within_s: float,
    ) -> FastestGraph | None:
        """The graphs for these numbers of ``threads``; see `BoundedGraph.made`.

        The first has to take less than ``within_s``, and the others to compute the same bits as it:
        results must not depend on which of them was the fastest.
        """
        graphs: dict[int, BoundedGraph] = {}
        expected: Sequence[Tensor] | None = None
        with same_threads():
            for number in threads:
                set_threads(number)
                graph = BoundedGraph.made(pieces, given, left, inputs, within_s=within_s)
                tops = graph.tops(inputs) if graph else None
                if graph is None or tops is None:
                    break
                if expected is None or all(map(torch.equal, tops, expected)):
                    graphs[number] = graph
                expected = expected or [top.clone() for top in tops]
                within_s = math.inf
        return cls(graphs) if graphs else None

    def tops(self, inputs: Sequence[Tensor]) -> tuple[Tensor, ...] | None:
        """See `BoundedGraph.tops`. Torch's number of threads is afterwards what it was before."""
        if len(self._graphs) == 1:
            return self._graphs[0].tops(inputs)
        usual = torch.get_num_threads()
        started = time.perf_counter()
        try:
            set_threads(self._threads[self._now])
            return self._graphs[self._now].tops(inputs)
        finally:
            set_threads(usual)
            self._passed(time.perf_counter() - started)

    def _passed(self, seconds: float) -> None:
        self._passes += 1
        self._spent_s += seconds
        if self._spent_s < BLOCK_S:
            return
        self._means_s[self._now] = self._spent_s / self._passes
        self._block = (self._block + 1) % BLOCKS
        trial = self._block < len(self._graphs)
        self._start(self._block if trial else self._means_s.index(min(self._means_s)))

    def _start(self, graph: int) -> None:
        self._now = graph
        self._passes = 0
        self._spent_s = 0.0
