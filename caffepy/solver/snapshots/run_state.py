"""What a solverstate of ours holds beyond Caffe's, so that training goes on bit by bit: data positions, random streams, losses, ..."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from caffepy import log
from caffepy.data.random import Mt19937
from caffepy.engine.engines import Engine
from caffepy.errors import DataError
from caffepy.layers.core.base import STREAM, Run
from caffepy.layers.core.carried import HIDDEN
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.graph import Node
from caffepy.scoring.dividing import Passes
from caffepy.solver.loop.loss import SmoothedLoss
from caffepy.solver.updating.loss_scale import LossScale

State = dict[str, Any]
OTHER_LAYER = (KeyError, TypeError, ValueError)
"""What a source says to the state of one of another type."""
Tests = Sequence[tuple[Engine, Passes]]


def own_state(
    train: Engine,
    tests: Tests,
    random: CaffeRandom,
    *,
    losses: SmoothedLoss,
    scale: LossScale | None = None,
) -> State:
    """This rank's part, JSON-able."""
    return {
        "loss_scale": scale.state() if scale else None,
        "losses": losses.state(),
        "sources": _source_states(train),
        "hidden": _hidden_states(train),
        "streams": {
            node.name: run.state[STREAM].state()
            for node, run in _with_runs(train)
            if STREAM in run.state
        },
        "tests": [
            {
                "sources": _source_states(engine),
                "hidden": _hidden_states(engine),
                "batches": passes.done,
            }
            for engine, passes in tests
        ],
        "random": random.state(),
        "torch": _pack(torch.get_rng_state()),
        "cuda": _pack(torch.cuda.get_rng_state(train.arena.device))
        if train.arena.device.type == "cuda"
        else None,
    }


def restore_state(
    ranks: list[State],
    rank: int,
    train: Engine,
    tests: Tests,
    random: CaffeRandom,
    *,
    size: int,
    losses: SmoothedLoss,
    scale: LossScale | None = None,
) -> None:
    """Go on from ``ranks``, every rank's `own_state`. With another number of ranks than saved it, data go on from the same record."""
    known = rank < len(ranks)
    same = size == len(ranks)
    if not same:
        log.warning(
            "solver.cpp:0",
            f"The state was saved by {len(ranks)} rank(s) and is read by {size}: data go on from the same record,"
            " but the result is not that of one uninterrupted training",
        )
    mine = ranks[rank if known else 0]
    if scale and mine.get("loss_scale"):
        scale.restore(mine["loss_scale"])
    _restore_sources(train, mine["sources"], keep_random=not known)
    for (engine, passes), saved in zip(tests, (mine if same else ranks[0])["tests"]):
        _restore_sources(engine, saved["sources"])
        _restore_hidden(engine, saved["hidden"])
        passes.done = saved["batches"] if same else 0
    if known:
        _restore_hidden(train, mine["hidden"])
        _restore_streams(train, mine.get("streams", {}))
        random.restore(mine["random"])
        if same and "losses" in mine:
            losses.restore(mine["losses"])
        torch.set_rng_state(_unpack(mine["torch"]))
        if mine["cuda"] is not None and train.arena.device.type == "cuda":
            torch.cuda.set_rng_state(_unpack(mine["cuda"]), train.arena.device)


def _source_states(engine: Engine) -> State:
    """Position of every data source by layer name."""
    return {
        engine.graph.nodes[index].name: source.state()
        for index, source in engine.graph.sources.items()
    }


def _restore_sources(engine: Engine, states: State, *, keep_random: bool = False) -> None:
    """Move the sources to where `_source_states` found them; layers that are not in ``states``, or have other data now, stay.

    ``keep_random``: take the position only and keep the source's own random stream.
    """
    for index, source in engine.graph.sources.items():
        node = engine.graph.nodes[index]
        state = states.get(node.name)
        if state is None:
            continue
        beginning = source.state()
        if keep_random and "random" in state:
            state = {**state, "random": beginning["random"]}
        try:
            source.restore(state)
        except (DataError, *OTHER_LAYER) as error:
            source.restore(beginning)
            why = (
                str(error)
                if isinstance(error, DataError)
                else "the saved position is that of another type of layer"
            )
            log.warning(
                "solver.cpp:0", f"layer '{node.name}': {why}; its data start at the beginning"
            )


def _hidden_states(engine: Engine) -> State:
    """The states of recurrent layers by layer name."""
    found = {
        node.name: run.state[HIDDEN] for node, run in _with_runs(engine) if HIDDEN in run.state
    }
    return {
        name: [{"shape": list(tensor.shape), "data": _pack(tensor)} for tensor in states]
        for name, states in found.items()
    }


def _restore_hidden(engine: Engine, saved: State) -> None:
    for node, run in _with_runs(engine):
        if node.name in saved:
            tensors = (
                _unpack(each["data"]).view(torch.float32).view(each["shape"])
                for each in saved[node.name]
            )
            run.state[HIDDEN] = tuple(tensor.to(engine.arena.device) for tensor in tensors)


def _restore_streams(engine: Engine, saved: State) -> None:
    for node, run in _with_runs(engine):
        if node.name in saved and node.layer.own_stream:
            stream = run.state[STREAM] = Mt19937(0)
            stream.restore(saved[node.name])


def _with_runs(engine: Engine) -> Iterator[tuple[Node, Run]]:
    return zip(engine.graph.nodes, engine.runs)


def _pack(tensor: Tensor) -> str:
    return base64.b64encode(np.ascontiguousarray(tensor.cpu().numpy()).tobytes()).decode()


def _unpack(text: str) -> Tensor:
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=torch.uint8)
