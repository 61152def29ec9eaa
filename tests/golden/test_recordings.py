"""Every recorded layer and net, its passes kept on a tape as a GPU keeps them: replays with other inputs give what plain passes give."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from torch import Tensor

from caffepy.engine.arena import Arena
from caffepy.engine.captured import CapturedEngine
from caffepy.engine.initialise import initialise
from caffepy.engine.whole import WholeEngine
from caffepy.layers.core.random import CaffeRandom
from caffepy.net import compile
from caffepy.net.graph import Graph
from tests.engine.tape import Tape
from tests.golden.engines import SEED, with_losses
from tests.golden.recorded import Case, cases, folder, inside, runnable

ON_HOST = {"CTCGreedyDecoder", "CTCLoss", "DetectionEvaluate", "DetectionOutput", "DummyData", "Filter", "HDF5Output", "MultiBoxLoss"}
ON_HOST |= {"Python", "ROIPooling", "SegAccuracy", "LSTM", "RNN", "Dropout"}
WAITING = {"layers/Power/scale0": "Power's constant is computed on the host, by a tensor"}
"""Cases whose layers a GPU records although the tape does not."""


def recordable() -> list[tuple[str, bool]]:
    """Cases whose nets no source feeds and no layer computes on the host; and whether to the end, with gradients."""
    found = []
    for path in cases("layers") + cases("nets"):
        case = Case(folder() / path)
        types = re.findall(r'type: *"?(\w+)', (case.path / "net.prototxt").read_text())
        if not any(kind in ON_HOST or kind.upper().endswith("DATA") for kind in types):
            found += [(path, False), (path, True)] if case.meta["backward"] else [(path, False)]
    return found


def made(message: object, kind: type[WholeEngine], **options: object) -> WholeEngine:
    graph, random = compile(message), CaffeRandom(SEED)
    arena = Arena(graph)
    initialise(graph, arena, random)
    return kind(graph, arena, random, **options)


def recorded_inputs(case: Case, graph: Graph) -> dict[str, Tensor]:
    given = {name: torch.from_numpy(array) for name, array in case.part(0, "in").items()}
    values = [graph.values[v] for v in graph.inputs]
    return {value.name: given.get(value.name, torch.ones(value.shape)) for value in values}


def agree(ours: Tensor | None, theirs: Tensor | None) -> None:
    if ours is None or theirs is None:
        assert ours is theirs
    else:
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6, equal_nan=True)


@pytest.mark.usefixtures("closed")
@pytest.mark.parametrize(("path", "learn"), recordable())
def test_replays(path: str, learn: bool, tmp_path: Path) -> None:
    case = runnable(path, tmp_path)
    with inside(case.path):
        message = case.message()
        message = with_losses(message, compile(message)) if learn else message
        tape = Tape()
        plain, engine = made(message, WholeEngine), made(message, CapturedEngine, recorder=tape)
        inputs = recorded_inputs(case, plain.graph)
        for batch in (inputs, {name: tensor.flip(0) for name, tensor in inputs.items()}):
            for each in (plain, engine):
                each.clear_gradients()
            losses = [each.forward_backward(batch) if learn else each.forward(batch) for each in (engine, plain)]
            agree(*losses)
            for ours, theirs in zip(engine.outputs(), plain.outputs(), strict=True):
                agree(ours.data, theirs.data)
            for ours, theirs in zip(engine.gradients(), plain.gradients(), strict=True):
                agree(ours, theirs)
        assert tape.replayed == (0 if path in WAITING else 2)
