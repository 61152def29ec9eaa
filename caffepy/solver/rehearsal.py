"""A few iterations of the job's ranks beside one process with all their batches: what a training of several ranks is held against."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import torch

from caffepy import log
from caffepy.data.shard import CONTIGUOUS, FILES
from caffepy.errors import ParallelError
from caffepy.net.graph import Graph
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.launch import environment
from caffepy.parallel.transport.communicator import Communicator
from caffepy.parallel.transport.single import Single
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.proto.text import SourceMap
from caffepy.solver.setup.feeding import Feeding
from caffepy.solver.solver import Solver

TOLERANCE = 1e-3
"""Rounding is far below it, a wrong gradient far above."""


@dataclass(frozen=True)
class Union(Sharing):
    """One process with the batches of all ranks.  ``growth``: by how much a batch is larger than batch_size."""

    growth: Fraction = Fraction(1)

    def divisor(self, communicator: Communicator) -> Fraction:
        """The inverse of ``growth``."""
        return 1 / self.growth


def rehearse(
    param: SolverParameter,
    places: SourceMap,
    iterations: int,
    *,
    communicator: Communicator,
    sharing: Sharing,
    feeding: Feeding = Feeding(),
    **options: Any,
) -> None:
    """Train both and log by how much the parameters differ after an iteration.  Collective.

    Each iteration begins with the ranks' parameters and history, as the smallest difference would grow from one to the next: a maximum or a
    ReLU decides otherwise.

    ``options``: of `Solver`. Errors: ParallelError if they differ by more than rounding, or cannot be compared.
    """
    if communicator.size == 1 or not sharing.average or sharing.drift:
        raise ParallelError(
            "-check compares several ranks, the mean of their gradients and parameters never stale, with one process"
        )
    if feeding.shard in (CONTIGUOUS, FILES):
        raise ParallelError(
            f"-check with -shard {feeding.shard}: one process reads the records in another order; needed: record or batch"
        )
    options["feeding"] = feeding
    ranks = Solver(
        _without_tests(param), places, communicator=communicator, sharing=sharing, **options
    )
    if communicator.is_root:
        union = Union(growth=Fraction(communicator.size) / sharing.divisor(communicator))
        alone = Solver(
            _without_tests(param),
            places,
            communicator=Single(environment.alone(communicator.host)),
            sharing=union,
            **options,
        )
    value, name = 0.0, "any blob"
    for _ in range(iterations):
        if communicator.is_root:
            _start_alike(alone, ranks)
            alone.step(1)
        ranks.step(1)
        ranks.updates.gather_history()
        if communicator.is_root:
            value, name = max((value, name), _difference(ranks, alone))
    value, name = communicator.bcast_object((value, name))
    drawn = _drawing(ranks.train_engine.graph, communicator)
    ranks.close()
    if communicator.is_root:
        alone.close()
    words = (
        f"check: in {iterations} iterations, each begun with the same parameters, {communicator.size} ranks and one process differ by at "
        f"most {value:.2g} of the largest value in {name}"
    )
    if value > TOLERANCE:
        advice = (
            f"; the net draws random numbers ({', '.join(drawn)}), which differ" if drawn else ""
        )
        raise ParallelError(f"{words}; rounding would be below {TOLERANCE:g}{advice}")
    log.info("rehearsal.py:0", words)


def _drawing(graph: Graph, communicator: Communicator) -> list[str]:
    """The types of layers that draw other random numbers on each rank; of data layers those whose streams differ.  Collective."""
    places = {
        node.type: graph.sources[node.index].state()
        for node in graph.nodes
        if node.index in graph.sources
    }
    everywhere = communicator.allgather_object(places)
    own = {kind for kind in places if any(other[kind] != places[kind] for other in everywhere)}
    return sorted(own | {node.type for node in graph.nodes if node.layer.draws})


def _start_alike(alone: Solver, ranks: Solver) -> None:
    """Give ``alone`` the parameters and the history of ``ranks``."""
    for ours, theirs in zip(
        (alone.train_engine.arena.flat, *alone.updater.flats),
        (ranks.train_engine.arena.flat, *ranks.updater.flats),
    ):
        ours.buffer.copy_(theirs.buffer)


def _without_tests(param: SolverParameter) -> SolverParameter:
    """A copy of the solver's definition that only trains."""
    found = type(param)()
    found.CopyFrom(param)
    for field in (
        "test_net",
        "test_net_param",
        "test_iter",
        "test_state",
        "test_interval",
        "snapshot",
        "display",
    ):
        found.ClearField(field)
    return found


def _difference(first: Solver, second: Solver) -> tuple[float, str]:
    """The largest difference of a parameter relative to the largest value of its blob, and whose it is."""
    graph = first.train_engine.graph
    found = (0.0, "any blob")
    for index, a, b in zip(
        graph.learnable, first.train_engine.arena.learnable, second.train_engine.arena.learnable
    ):
        with torch.no_grad():
            value = float((a - b).abs().max() / b.abs().max().clamp(min=1e-30))
        found = max(found, (value, f"{graph.params[index].layer}[{graph.params[index].slot}]"))
    return found
