"""A solver's nets and random stream, made in the order in which Caffe makes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import torch

from caffepy import log
from caffepy.engine.engines import Engine, Factory
from caffepy.engine.weights import copy_trained_layers
from caffepy.errors import WeightsError
from caffepy.layers.random import CaffeRandom
from caffepy.net.definition import Definition
from caffepy.parallel.job.seeds import rank_seed
from caffepy.proto.text import SourceMap
from caffepy.solver.nets import train_definition


def seeded(random: CaffeRandom | None, seed: int, rank: int) -> CaffeRandom:
    """The random stream to use, started by ``seed`` + ``rank`` where a seed is given (not negative), and torch's with it."""
    if seed < 0:
        if random is None:
            torch.seed()  # its own first seed is the same in every process
        return random or CaffeRandom(None)
    torch.manual_seed(rank_seed(seed, rank))
    found = CaffeRandom(rank_seed(seed, rank))
    if random is None:
        return found
    random.restore(found.state())
    return random


def make_train(param: Any, places: SourceMap, factory: Factory, *, weights: bool) -> Engine:
    """The net to train. ``weights``: with the parameters of the files that ``param`` names."""
    engine = factory.make(train_definition(param, places), weights=weight_files(param.weights) if weights else ())
    if weights:
        _load_weights(param, engine)
    return engine


def make_tests(
    definitions: Sequence[Definition], param: Any, factory: Factory, train: Engine, *, divided: bool, apart: bool = False
) -> list[Engine]:
    """The nets to test, on the parameters of ``train``, or ``apart`` on their own.  ``divided``: for a part of the batches, not all."""
    if not divided:
        factory = replace(factory, opener=None)
    engines: list[Engine] = []
    for number, definition in enumerate(definitions):
        log.info("solver.cpp:190", f"Creating test net (#{number}) specified by {definition.source}")
        engines.append(factory.make(definition, share=None if apart else train.arena, weights=weight_files(param.weights)))
        _load_weights(param, engines[-1], own_only=not apart)
    return engines


def _load_weights(param: Any, engine: Engine, *, own_only: bool = False) -> None:
    for file in weight_files(param.weights):
        log.info("solver.cpp:72", f"Finetuning from {file}")
        copy_trained_layers(engine.graph, engine.arena, file, own_only=own_only)


def weight_files(fields: Iterable[str]) -> list[str]:
    """The files of weights that ``fields`` name, separated by commas.  WeightsError where a name is empty."""
    files = [name.strip() for field in fields for name in field.split(",")]
    if "" in files:
        raise WeightsError(f"weights '{', '.join(fields)}': a name is empty; needed: names of files, separated by commas")
    return files
