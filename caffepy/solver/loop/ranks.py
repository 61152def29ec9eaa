"""The other ranks, as the solver sees them: what is shared, averaged and agreed on. Nothing of it happens in a process alone."""

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
"""By weight: of what several ranks are asked, the last one is done."""
COMPARE_S = 5.0
"""Ranks that part are found within about this time, or an iteration if that takes longer."""
COMPARE_SHARE = 0.01
"""Of the time, comparing takes at most so much."""


class Ranks:
    """Collective calls of one solver: every rank makes the same ones in the same order."""

    def __init__(self, communicator: Communicator, arena: Arena) -> None:
        self.communicator, self.arena = communicator, arena
        self.alone = communicator.size == 1
        self._asked: Callable[[], int] | None = None
        self._statistics = [] if self.alone else _statistics(arena.graph, arena)
        self._next_comparison, self._comparing = time.monotonic() + COMPARE_S, False

    def configure(self, engine: Engine) -> None:
        """Let layers of the net whose value depends on the whole batch know what all ranks have of it."""
        if self.alone:
            return
        for run in engine.runs:
            run.parts = self.communicator.size
        if replays(engine):
            if any(
                node.layer.param.loss_param.HasField("ignore_label") for node in engine.graph.nodes
            ):
                log.warning(
                    "ranks.py:0",
                    "ignore_label: each rank divides its loss by its own count of labels, as in Caffe on several GPUs",
                )
            return
        for run in engine.runs:
            run.mean_count = self._mean_count

    def _mean_count(self, count: Tensor) -> Tensor:
        """The mean of every rank's 0-axis ``count``, at least 1 for all ranks together."""
        total = count.to(torch.float64, copy=True)
        self.communicator.allreduce_(total)
        return total.clamp(min=1) / self.communicator.size

    def share(self, tensors: Sequence[Tensor]) -> None:
        """Rank 0's values into these buffers of every rank."""
        if not self.alone:
            broadcast_state(self.communicator, tensors)

    def tell(self, value: T) -> T:
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
        """The weightiest action that any rank was asked for; ``later``: at the call before, so that nobody waits here for a slower rank.

        Unless it is for later, the ranks agree by the way on whether they `compare` themselves next.
        """
        if self.alone:
            return action
        if not later:
            due = time.monotonic() >= self._next_comparison
            weight, comparing = divmod(
                self.communicator.maximum(2 * ACTIONS.index(action) + due), 2
            )
            self._comparing = bool(comparing)
            return ACTIONS[weight]
        before = self.agreed()
        if before is Action.SNAPSHOT and action is Action.SNAPSHOT:
            action = (
                Action.NONE
            )  # the snapshot that comes now is the one that this rank was asked for
        self._asked = self.communicator.maximum_later(ACTIONS.index(action))
        return before

    def agreed(self) -> Action:
        """What came out of the last call that was for later, once."""
        asked, self._asked = self._asked, None
        return Action.NONE if asked is None else ACTIONS[asked()]

    def average_statistics(self) -> None:
        """Make running statistics, which every rank takes from its own batches, the mean of all."""
        for tensor in self._statistics:
            self.communicator.allreduce_(tensor)
            tensor /= self.communicator.size

    def check(self, when: str) -> None:
        """ParallelError unless all ranks hold the same parameters, bit by bit."""
        if not self.alone:
            check_equal(self.communicator, self._parameters(), when)

    def compare(self, when: str, settle: Callable[[], None]) -> None:
        """The same, faster and less thoroughly, if it has been agreed on; running statistics are each rank's own.

        ``settle``: has all parameters updated.  Ranks that may drift apart are alike at snapshots only, and never agree on it.
        """
        if self._comparing:
            began = time.monotonic()
            settle()
            own = {tensor.data_ptr() for tensor in self._statistics}
            alike = {
                name: tensor
                for name, tensor in self._parameters().items()
                if tensor.data_ptr() not in own
            }
            check_equal(self.communicator, alike, when, quick=True)
            now = time.monotonic()
            self._next_comparison, self._comparing = (
                now + max(COMPARE_S, (now - began) / COMPARE_SHARE),
                False,
            )

    def _parameters(self) -> dict[str, Tensor]:
        params = self.arena.graph.params
        return {
            f"parameter {params[i].slot} of layer '{params[i].layer}'": tensor
            for i, tensor in zip(self.arena.graph.learnable, self.arena.learnable)
        }

    def barrier(self) -> None:
        """Wait for all."""
        if not self.alone:
            self.communicator.barrier()


def _statistics(graph: Graph, arena: Arena) -> list[Tensor]:
    return [
        arena.data[node.params[i]].detach() for node in graph.nodes for i in node.layer.statistics
    ]
