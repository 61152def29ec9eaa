"""What a solverstate of ours holds beyond Caffe's, so that a training goes on bit by bit.

These are positions in the data, random streams, losses, and the states of recurrent layers.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from caffepy import log
from caffepy.data.random import Mt19937
from caffepy.engine.engines import Engine
from caffepy.errors import DataError
from caffepy.layers.core.base import Run
from caffepy.layers.core.own_stream import STREAM, OwnStreamLayer
from caffepy.layers.core.random import CaffeRandom
from caffepy.layers.core.state import HIDDEN
from caffepy.net.graph import Node
from caffepy.scoring.dividing import Passes
from caffepy.solver.loop.loss import SmoothedLoss
from caffepy.solver.updating.loss_scale import LossScale

State = dict[str, Any]
OTHER_LAYER = (KeyError, TypeError, ValueError)
"""What a source raises for the state of a source of another type."""


@dataclass(frozen=True)
class Parts:
    """What of a solver has such a state.  ``tests``: each test net, and how far its tests are."""

    train: Engine
    tests: Sequence[tuple[Engine, Passes]]
    random: CaffeRandom
    losses: SmoothedLoss
    loss_scale: LossScale | None = None


def own_state(parts: Parts) -> State:
    """This rank's state, JSON-able."""
    train = parts.train
    on_gpu = train.arena.device.type == "cuda"
    return {
        "loss_scale": parts.loss_scale.state() if parts.loss_scale else None,
        "losses": parts.losses.state(),
        "sources": _source_states(train),
        "hidden": _hidden_states(train),
        "streams": _stream_states(train),
        "tests": [_test_state(engine, passes) for engine, passes in parts.tests],
        "random": parts.random.state(),
        "torch": _pack(torch.get_rng_state()),
        "cuda": _pack(torch.cuda.get_rng_state(train.arena.device)) if on_gpu else None,
    }


def restore_state(parts: Parts, states: list[State], rank: int, *, size: int) -> None:
    """Go on from ``states``: of each rank, what `own_state` returned.

    ``size``: how many ranks there are now. Where it was another number, data go on from the same
    record.
    """
    has_own = rank < len(states)
    same = size == len(states)
    if not same:
        log.warning(
            "solver.cpp:0",
            f"The state was saved by {len(states)} rank(s) and is read by {size}: data go on from "
            "the same record, but the result is not that of one uninterrupted training",
        )
    mine = states[rank if has_own else 0]
    if parts.loss_scale and mine.get("loss_scale"):
        parts.loss_scale.restore(mine["loss_scale"])
    _restore_sources(parts.train, mine["sources"], keep_random=not has_own)
    for (engine, passes), saved in zip(parts.tests, (mine if same else states[0])["tests"]):
        _restore_sources(engine, saved["sources"])
        _restore_hidden(engine, saved["hidden"])
        passes.done = saved["batches"] if same else 0
    if has_own:
        _restore_own(parts, mine)
        if same and "losses" in mine:
            parts.losses.restore(mine["losses"])


def _restore_own(parts: Parts, mine: State) -> None:
    """Go on from what only this rank has had."""
    _restore_hidden(parts.train, mine["hidden"])
    _restore_streams(parts.train, mine.get("streams", {}))
    parts.random.restore(mine["random"])
    torch.set_rng_state(_unpack(mine["torch"]))
    device = parts.train.arena.device
    if mine["cuda"] is not None and device.type == "cuda":
        torch.cuda.set_rng_state(_unpack(mine["cuda"]), device)


def _test_state(engine: Engine, passes: Passes) -> State:
    """The state of a test net."""
    return {
        "sources": _source_states(engine),
        "hidden": _hidden_states(engine),
        "batches": passes.done,
    }


def _source_states(engine: Engine) -> State:
    """The position of every data source, by layer name."""
    sources = engine.graph.sources.items()
    return {engine.graph.nodes[index].name: source.state() for index, source in sources}


def _restore_sources(engine: Engine, states: State, *, keep_random: bool = False) -> None:
    """Move the sources to the positions of `_source_states`.

    A layer that is not in ``states``, or has other data now, stays where it is.
    ``keep_random``: restore the position, but not the source's random stream.
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
            why = "the saved position is that of another type of layer"
            if isinstance(error, DataError):
                why = str(error)
            log.warning(
                "solver.cpp:0", f"layer '{node.name}': {why}; its data start at the beginning"
            )


def _hidden_states(engine: Engine) -> State:
    """The states of recurrent layers, by layer name."""
    states: State = {}
    for node, run in _with_runs(engine):
        if HIDDEN in run.state:
            states[node.name] = [
                {"shape": list(tensor.shape), "data": _pack(tensor)} for tensor in run.state[HIDDEN]
            ]
    return states


def _restore_hidden(engine: Engine, saved: State) -> None:
    for node, run in _with_runs(engine):
        if node.name in saved:
            tensors = []
            for each in saved[node.name]:
                values = _unpack(each["data"]).view(torch.float32).view(each["shape"])
                tensors.append(values.to(engine.arena.device))
            run.state[HIDDEN] = tuple(tensors)


def _stream_states(engine: Engine) -> State:
    """The random streams that layers have for themselves, by layer name."""
    states: State = {}
    for node, run in _with_runs(engine):
        if STREAM in run.state:
            states[node.name] = run.state[STREAM].state()
    return states


def _restore_streams(engine: Engine, saved: State) -> None:
    for node, run in _with_runs(engine):
        if node.name in saved and isinstance(node.layer, OwnStreamLayer):
            stream = Mt19937(0)
            stream.restore(saved[node.name])
            run.state[STREAM] = stream


def _with_runs(engine: Engine) -> Iterator[tuple[Node, Run]]:
    return zip(engine.graph.nodes, engine.runs)


def _pack(tensor: Tensor) -> str:
    """The tensor's bytes as text."""
    return base64.b64encode(np.ascontiguousarray(tensor.cpu().numpy()).tobytes()).decode()


def _unpack(text: str) -> Tensor:
    """The bytes that `_pack` was given."""
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=torch.uint8)
