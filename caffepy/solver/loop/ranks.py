"""What a solver does together with the other ranks: share, average, agree, compare."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.arena import Arena
from caffepy.engine.engines import Engine, replays
from caffepy.net.graph import Graph
from caffepy.parallel.job.consistency import broadcast_state, check_equal
from caffepy.parallel.transport.communicator import Communicator
from caffepy.solver.loop.signals import Action

T = TypeVar("T")
ACTIONS = (Action.NONE, Action.SNAPSHOT, Action.STOP)
"""In order of weight: of the actions that ranks are asked for, the last one is done."""
COMPARE_S = 5.0
"""Seconds between two comparisons of the ranks' parameters, or an iteration if that is longer."""
COMPARE_SHARE = 0.01
"""The largest part of the time that comparing may take."""


class Ranks:
    """Collective calls of one solver: every rank makes the same ones in the same order."""

    def __init__(self, communicator: Communicator, arena: Arena) -> None:
        self.communicator = communicator
        self.arena = arena
        self.alone = communicator.size == 1
        self._agreement: Callable[[], int] | None = None
        self._statistics = [] if self.alone else _statistics(arena.graph, arena)
        self._next_comparison = time.monotonic() + COMPARE_S
        self._compares_next = False

    def configure(self, engine: Engine) -> None:
        """Give the layers that divide by the size of the whole batch what all ranks have of it."""
        if self.alone:
            return
        for run in engine.runs:
            run.parts = self.communicator.size
        if replays(engine):
            _warn_of_ignore_label(engine.graph)
            return
        for run in engine.runs:
            run.mean_count = self._mean_count

    def _mean_count(self, count: Tensor) -> Tensor:
        """The mean of the ranks' ``count``, a 0-axis tensor; their sum counts as at least 1."""
        total = count.to(torch.float64, copy=True)
        self.communicator.allreduce_(total)
        return total.clamp(min=1) / self.communicator.size

    def broadcast(self, tensors: Sequence[Tensor]) -> None:
        """Copy rank 0's values into these tensors of every rank."""
        if not self.alone:
            broadcast_state(self.communicator, tensors)

    def from_root(self, value: T) -> T:
        """Rank 0's ``value``."""
        return value if self.alone else self.communicator.bcast_object(value)

    def mean(self, value: float) -> float:
        """The mean of every rank's ``value``."""
        return value if self.alone else sum(self.each(value)) / self.communicator.size

    def each(self, value: float) -> list[float]:
        """Every rank's ``value``."""
        return [value] if self.alone else self.communicator.allgather_object(value)

    def any(self, asked: bool) -> bool:
        """Whether any rank ``asked``."""
        return asked if self.alone else bool(self.communicator.maximum(int(asked)))

    def agree(self, action: Action, *, later: bool = False) -> Action:
        """The weightiest action that any rank was asked for.

        ``later``: return what the call before asked for, so that no rank waits for a slower one.
        Otherwise this call also agrees on whether the ranks `compare` themselves next.
        """
        if self.alone:
            return action
        if not later:
            comparison_due = time.monotonic() >= self._next_comparison
            both = self.communicator.maximum(2 * ACTIONS.index(action) + comparison_due)
            self._compares_next = bool(both % 2)
            return ACTIONS[both // 2]
        before = self.agreed()
        if before is Action.SNAPSHOT and action is Action.SNAPSHOT:
            action = Action.NONE  # this rank was asked for the snapshot that comes now
        self._agreement = self.communicator.maximum_later(ACTIONS.index(action))
        return before

    def agreed(self) -> Action:
        """What the last `agree` with ``later`` asked for; given out once."""
        if self._agreement is None:
            return Action.NONE
        agreement = self._agreement
        self._agreement = None
        return ACTIONS[agreement()]

    def average_statistics(self) -> None:
        """Replace running statistics, which each rank has of its own batches, by their means."""
        for tensor in self._statistics:
            self.communicator.allreduce_(tensor)
            tensor /= self.communicator.size

    def check(self, when: str) -> None:
        """Errors: ParallelError unless all ranks have the same parameters, bit by bit."""
        if not self.alone:
            check_equal(self.communicator, self._parameters(), when)

    def compare(self, when: str, wait: Callable[[], None]) -> None:
        """`check` faster and less thoroughly, if the ranks have agreed on it.

        Running statistics are left out: each rank has its own.
        ``wait``: returns when all parameters are updated.
        Ranks that may drift apart are equal at snapshots only, and never agree on a comparison.
        """
        if not self._compares_next:
            return
        began = time.monotonic()
        wait()
        own = {tensor.data_ptr() for tensor in self._statistics}
        common = {}
        for name, tensor in self._parameters().items():
            if tensor.data_ptr() not in own:
                common[name] = tensor
        check_equal(self.communicator, common, when, quick=True)
        now = time.monotonic()
        self._next_comparison = now + max(COMPARE_S, (now - began) / COMPARE_SHARE)
        self._compares_next = False

    def _parameters(self) -> dict[str, Tensor]:
        """What is learned, by a name for messages."""
        graph = self.arena.graph
        names = [
            f"parameter {graph.params[index].slot} of layer '{graph.params[index].layer}'"
            for index in graph.learnable
        ]
        return dict(zip(names, self.arena.learnable))

    def barrier(self) -> None:
        """Wait until all ranks have come here."""
        if not self.alone:
            self.communicator.barrier()


def _statistics(graph: Graph, arena: Arena) -> list[Tensor]:
    """The running statistics of the net's layers, as of BatchNorm."""
    places = [node.params[i] for node in graph.nodes for i in node.layer.batches.statistics]
    return [arena.data[place].detach() for place in places]


def _warn_of_ignore_label(graph: Graph) -> None:
    if any(node.layer.param.loss_param.HasField("ignore_label") for node in graph.nodes):
        log.warning(
            "ranks.py:0",
            "ignore_label: each rank divides its loss by its own count of labels, "
            "as in Caffe on several GPUs",
        )
