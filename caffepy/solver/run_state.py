"""What a solverstate of ours holds beyond Caffe's, so that training goes on bit by bit: data positions and random streams."""

from __future__ import annotations

import base64
from typing import Any

import torch

from caffepy import log
from caffepy.layers.random import CaffeRandom
from caffepy.solver.engines import Engine, restore_sources, source_states

State = dict[str, Any]


def own_state(train: Engine, tests: list[Engine], random: CaffeRandom) -> State:
    """This rank's part, JSON-able."""
    return {
        "sources": source_states(train),
        "tests": [source_states(engine) for engine in tests],
        "random": random.state(),
        "torch": _pack(torch.get_rng_state()),
        "cuda": _pack(torch.cuda.get_rng_state(train.arena.device)) if train.arena.device.type == "cuda" else None,
    }


def restore_state(ranks: list[State], rank: int, train: Engine, tests: list[Engine], random: CaffeRandom, *, size: int) -> None:
    """Go on from ``ranks``, every rank's `own_state`. With another number of ranks than saved it, data go on from the same record."""
    known = rank < len(ranks)
    if size != len(ranks):
        log.warning(
            "solver.cpp:0",
            f"The state was saved by {len(ranks)} rank(s) and is read by {size}: data go on from the same record,"
            " but the result is not that of one uninterrupted training",
        )
    mine = ranks[rank if known else 0]
    restore_sources(train, mine["sources"], keep_random=not known)
    for engine, states in zip(tests, mine["tests"]):
        restore_sources(engine, states)
    if known:
        random.restore(mine["random"])
        torch.set_rng_state(_unpack(mine["torch"]))
        if mine["cuda"] is not None and train.arena.device.type == "cuda":
            torch.cuda.set_rng_state(_unpack(mine["cuda"]), train.arena.device)


def _pack(state: torch.Tensor) -> str:
    return base64.b64encode(state.numpy().tobytes()).decode()


def _unpack(text: str) -> torch.Tensor:
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=torch.uint8)
