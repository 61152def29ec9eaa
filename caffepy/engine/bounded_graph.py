"""Layers in a row as one `operator_graph`, which counts where no number can become infinite in it.

oneDNN, which computes parts of the graph, makes other numbers of NaN and infinity than the layers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from caffepy.engine.operator_graph import Call, operator_graph
from caffepy.layers.core.base import Forward, Run
from caffepy.net.graph import Node

TRIALS = 30
"""Of a graph: it is kept if one of them is faster than the fastest pass without it."""
SAFE = 1e18
"""Numbers up to this have finite squares."""


@dataclass(frozen=True)
class Piece:
    """What is computed in one go: one of the ``nodes``, or several that are fused.

    ``inputs``, ``tops``: indices in Graph.values. ``blobs``: the parameters of all nodes.
    """

    nodes: Sequence[Node]
    forward: Forward
    run: Run
    inputs: Sequence[int]
    tops: Sequence[int]
    blobs: Sequence[Tensor]

    def growth(self) -> float:
        """`Layer.growth` of all nodes, at least 1; infinite if a parameter is no number."""
        total = 1.0
        rest = list(self.blobs)
        for node in self.nodes:
            growth = node.layer.growth(rest[: len(node.params)])
            del rest[: len(node.params)]
            total *= max(1.0, growth) if math.isfinite(growth) else math.inf
        return total

    def numbers(self) -> list[int]:
        """The inputs but labels, which become no numbers of the tops."""
        layer = self.nodes[0].layer
        labels = layer.gradients.refused if layer.is_loss else ()
        return [value for i, value in enumerate(self.inputs) if i not in labels]


class BoundedGraph:
    """A graph with the present parameters, for inputs of one `form`."""

    def __init__(self, call: Call, tops: int, limits: Sequence[float]) -> None:
        """``limits``: of the numbers that ``call`` gives behind so many ``tops``."""
        self._call = call
        self._tops = tops
        self._limits = limits

    @staticmethod
    def form(inputs: Sequence[Tensor]) -> tuple[object, ...]:
        """What a graph is made for."""
        return (*(x.shape for x in inputs), torch.get_num_threads())

    @classmethod
    def made(
        cls,
        pieces: Sequence[Piece],
        given: Sequence[int],
        left: Sequence[int],
        inputs: Sequence[Tensor],
        *,
        within_s: float,
    ) -> BoundedGraph | None:
        """The graph that computes the values ``left`` from the ``given``.

        It is for ``inputs`` like these. None where it would not compute the same, or not in less
        than ``within_s``.
        """
        if any(x.dtype != torch.float32 or not x.numel() for x in inputs):
            return None
        pieces = [_detached(piece) for piece in pieces]
        limit = SAFE / math.prod(piece.growth() for piece in pieces)
        numbers = {value for piece in pieces for value in piece.numbers()}
        limits: list[float] = []

        def recorded(*inputs: Tensor) -> tuple[Tensor, ...]:
            values = dict(zip(given, inputs))
            checked = [
                (torch.linalg.vector_norm(x), limit) for v, x in values.items() if v in numbers
            ]
            for piece in pieces:
                piece.run.recorded = checked
                try:
                    bottoms = [values[v] for v in piece.inputs]
                    values.update(zip(piece.tops, piece.forward(bottoms, piece.blobs, piece.run)))
                finally:
                    piece.run.recorded = None
            limits[:] = [below for _, below in checked]
            return (*(values[value] for value in left), *(x for x, _ in checked))

        call = operator_graph(recorded, inputs)
        made = cls(call, len(left), limits) if call else None
        return made if made and made._takes_less(within_s, inputs) else None

    def _takes_less(self, within_s: float, inputs: Sequence[Tensor]) -> bool:
        for _ in range(TRIALS):
            started = time.perf_counter()
            if self.tops(inputs) is None:
                return False
            if time.perf_counter() - started < within_s:
                return True
        return False

    def tops(self, inputs: Sequence[Tensor]) -> tuple[Tensor, ...] | None:
        """The values that are left; None where they may be wrong, and the layers know."""
        try:
            found = self._call(*inputs)
        except (RuntimeError, IndexError):
            return None
        for x, limit in zip(found[self._tops :], self._limits):
            if not abs(x.item()) < limit:
                return None
        return found[: self._tops]


def _detached(piece: Piece) -> Piece:
    """``piece`` with parameters that a graph takes as constants."""
    blobs = [blob.detach() for blob in piece.blobs]
    return Piece(piece.nodes, piece.forward, piece.run, piece.inputs, piece.tops, blobs)
