"""A solver's nets and random stream, made in the order in which Caffe makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from caffepy import log
from caffepy.engine.engines import Engine, Setup, open_net
from caffepy.engine.weights import weight_files
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.definition import Definition
from caffepy.net.graph import Graph
from caffepy.parallel.job.seeds import rank_seed
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.proto.text import SourceMap
from caffepy.solver.setup.nets import train_definition


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
