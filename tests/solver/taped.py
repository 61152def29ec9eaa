"""Trainings whose recordings a `Tape` plays back on the CPU, as a GPU does with CUDA graphs."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from caffepy.engine import engines
from caffepy.engine.captured import CapturedEngine
from caffepy.solver.solver import Solver
from tests.engine.tape import Tape
from tests.solver.job import solver

NORM = """
layer { name: "bn" type: "BatchNorm" bottom: "ip1" top: "ip1" }
layer { name: "scale" type: "Scale" bottom: "ip1" top: "ip1" scale_param { bias_term: true } }"""


def trained(more: str, tape: Tape | None = None, *, state: str = "", look: Any = None, **options: Any) -> Solver:
    """A training to the end of ``more``, from ``state`` on if that is given.  ``look``: a callback, which ``made`` tells the solver."""
    with pytest.MonkeyPatch.context() as patch:
        if tape is not None:
            patch.setattr(engines, "WholeEngine", lambda *given, **named: CapturedEngine(*given, **named, recorder=tape))
        found = solver(more, **options)
    if look is not None:
        look.made(found)
        found.callbacks.append(look)
    if state:
        found.restore(state)
    found.solve()
    found.close()
    return found


def agree(ours: Solver, theirs: Solver) -> None:
    for mine, other in zip(ours.train_engine.arena.learnable, theirs.train_engine.arena.learnable, strict=True):
        torch.testing.assert_close(mine.detach(), other.detach(), rtol=1e-3, atol=1e-4)
    for mine, other in zip(ours.updater.history, theirs.updater.history, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-3, atol=1e-4)
