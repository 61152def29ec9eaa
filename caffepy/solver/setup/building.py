"""A solver's nets and random stream, made in the order in which Caffe makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from caffepy import log
from caffepy.engine.engines import Engine, Setup, open_net
from caffepy.engine.weights import weight_files
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.definition import Definition
from caffepy.net.graph import Graph
from caffepy.parallel.job.seeds import rank_seed
from caffepy.parallel.transport.communicator import Communicator
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.proto.text import SourceMap
from caffepy.scoring.dividing import Passes, can_divide
from caffepy.solver.setup.checks import check_names
from caffepy.solver.setup.nets import test_definitions, train_definition


def seeded(random: CaffeRandom | None, seed: int, rank: int) -> CaffeRandom:
    """The random stream to use.

    A ``seed`` of 0 or more starts it, and torch's, at ``seed`` + ``rank``. ``random``: a stream
    that is there already; it is returned, restarted if there is a seed.
    """
    if seed < 0:
        if random is None:
            torch.seed()  # its own first seed is the same in every process
        return random or CaffeRandom(None)
    torch.manual_seed(rank_seed(seed, rank))
    started = CaffeRandom(rank_seed(seed, rank))
    if random is None:
        return started
    random.restore(started.state())
    return random


@dataclass(frozen=True)
class Nets:
    """The net to train, and those to test.  ``passes``: what runs the batches of each test net."""

    train: Engine
    tests: list[Engine]
    passes: list[Passes]


def make_nets(
    param: SolverParameter,
    places: SourceMap,
    setup: Setup,
    communicator: Communicator,
    *,
    complete: bool,
    apart: bool,
) -> Nets:
    """Make all nets of a solver.

    Rank 0 reads the weights that ``param`` names. It has all test nets, and the other ranks have
    them if they divide the batches.
    ``complete``: one rank alone tests the whole data set.
    ``apart``: see `make_tests`.
    """
    is_root = communicator.is_root
    train = make_train(param, places, setup, weights=is_root)
    check_names(param, train.graph, file=places.file)
    definitions = test_definitions(param, places)
    divided = can_divide(definitions, communicator)
    if not (divided or is_root):
        definitions = []
    has_all = communicator.size == 1 and complete
    tests = make_tests(definitions, param, setup, train, divided=divided or has_all, apart=apart)
    return Nets(train, tests, [Passes(communicator, divided) for _ in definitions])


def make_train(param: SolverParameter, places: SourceMap, setup: Setup, *, weights: bool) -> Engine:
    """The net to train.  ``weights``: read the files of weights that ``param`` names."""
    definition = train_definition(param, places)
    files = weight_files(param.weights) if weights else []
    return open_net(definition, files, setup=setup, before_file=_log_finetuning)


def make_tests(
    definitions: Sequence[Definition],
    param: SolverParameter,
    setup: Setup,
    train: Engine,
    *,
    divided: bool,
    apart: bool = False,
) -> list[Engine]:
    """The nets to test.

    ``train``: the net whose parameters they share, unless they are kept ``apart``.
    ``divided``: each has only this rank's part of the batches.
    """
    if not divided:
        setup = replace(setup, opener=None)
    share = None if apart else train.arena
    engines: list[Engine] = []
    for number, definition in enumerate(definitions):
        log.info(
            "solver.cpp:190", f"Creating test net (#{number}) specified by {definition.source}"
        )
        files = weight_files(param.weights)
        engines.append(
            open_net(definition, files, setup=setup, share=share, before_file=_log_finetuning)
        )
    return engines


def _log_finetuning(graph: Graph, file: str) -> None:
    log.info("solver.cpp:72", f"Finetuning from {file}")
