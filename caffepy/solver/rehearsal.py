"""The flag -check: iterations of all ranks, compared with one process that has their batches."""

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
"""Differences by rounding are far below it, those by a wrong gradient far above."""
NO_PARAMETER = "any blob"


@dataclass(frozen=True)
class Union(Sharing):
    """One process with the batches of all ranks.

    ``growth``: how many times as large as batch_size its batches are.
    """

    growth: Fraction = Fraction(1)

    def divisor(self, communicator: Communicator) -> Fraction:
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
    """Train both, and log by how much their parameters differ.  Collective.

    Each iteration begins with the ranks' parameters and history. Otherwise the smallest difference
    would grow, where a maximum or a ReLU decides differently.

    ``options``: of `Solver`.
    Errors: ParallelError if they differ by more than rounding, or cannot be compared.
    """
    _check_comparable(communicator, sharing, feeding)
    options["feeding"] = feeding
    ranks = Solver(
        _without_tests(param), places, communicator=communicator, sharing=sharing, **options
    )
    alone: Solver | None = None
    if communicator.is_root:
        union = Union(growth=Fraction(communicator.size) / sharing.divisor(communicator))
        single = Single(environment.alone(communicator.host))
        alone = Solver(_without_tests(param), places, communicator=single, sharing=union, **options)
    largest = (0.0, NO_PARAMETER)
    for _ in range(iterations):
        if alone is not None:
            _start_equal(alone, ranks)
            alone.step(1)
        ranks.step(1)
        ranks.updates.gather_history()
        if alone is not None:
            largest = max(largest, _difference(ranks, alone))
    largest = communicator.bcast_object(largest)
    random_types = _random_types(ranks.train_engine.graph, communicator)
    ranks.close()
    if alone is not None:
        alone.close()
    difference, name = largest
    words = (
        f"check: in {iterations} iterations, each begun with the same parameters, "
        f"{communicator.size} ranks and one process differ by at most {difference:.2g} of the "
        f"largest value in {name}"
    )
    if difference > TOLERANCE:
        advice = ""
        if random_types:
            advice = f"; the net draws random numbers ({', '.join(random_types)}), which differ"
        raise ParallelError(f"{words}; rounding would be below {TOLERANCE:g}{advice}")
    log.info("rehearsal.py:0", words)


def _check_comparable(communicator: Communicator, sharing: Sharing, feeding: Feeding) -> None:
    if communicator.size == 1 or not sharing.average or sharing.drift:
        raise ParallelError(
            "-check compares several ranks, the mean of their gradients and parameters never "
            "stale, with one process"
        )
    if feeding.shard in (CONTIGUOUS, FILES):
        raise ParallelError(
            f"-check with -shard {feeding.shard}: one process reads the records in another order; "
            "needed: record or batch"
        )


def _random_types(graph: Graph, communicator: Communicator) -> list[str]:
    """The types of layers that draw different random numbers on each rank.  Collective.

    Data layers are among them if their random streams differ.
    """
    states = {}
    for node in graph.nodes:
        if node.index in graph.sources:
            states[node.type] = graph.sources[node.index].state()
    everywhere = communicator.allgather_object(states)
    types = {node.type for node in graph.nodes if node.layer.draws}
    for name, state in states.items():
        if any(other[name] != state for other in everywhere):
            types.add(name)
    return sorted(types)


def _start_equal(alone: Solver, ranks: Solver) -> None:
    """Give ``alone`` the parameters and the history of ``ranks``."""
    targets = (alone.train_engine.arena.flat, *alone.updater.flats)
    sources = (ranks.train_engine.arena.flat, *ranks.updater.flats)
    for target, source in zip(targets, sources):
        target.buffer.copy_(source.buffer)


def _without_tests(param: SolverParameter) -> SolverParameter:
    """A copy of the solver's definition that only trains."""
    copy = SolverParameter()
    copy.CopyFrom(param)
    tests = ("test_net", "test_net_param", "test_iter", "test_state", "test_interval")
    for field in (*tests, "snapshot", "display"):
        copy.ClearField(field)
    return copy


def _difference(first: Solver, second: Solver) -> tuple[float, str]:
    """The largest difference of a parameter, relative to its largest value; and its name."""
    graph = first.train_engine.graph
    ours = first.train_engine.arena.learnable
    theirs = second.train_engine.arena.learnable
    largest = (0.0, NO_PARAMETER)
    for index, a, b in zip(graph.learnable, ours, theirs):
        with torch.no_grad():
            value = float((a - b).abs().max() / b.abs().max().clamp(min=1e-30))
        name = f"{graph.params[index].layer}[{graph.params[index].slot}]"
        largest = max(largest, (value, name))
    return largest
