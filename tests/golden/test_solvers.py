"""Twenty iterations by each rule and option, and ten from the real Caffe's snapshots, give its weights in both engines."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caffepy.engine.weights import copy_trained_layers
from caffepy.solver.solver import Solver
from tests.golden.engines import Array, slots
from tests.golden.recorded import cases, difference, folder, inside


def trained(path: Path, engine: str) -> Solver:
    """A solver that starts from the recorded weights."""
    solver = Solver.from_file(str(path / "solver.prototxt"), engine=engine)
    copy_trained_layers(solver.train_engine.graph, solver.train_engine.arena, str(path / "init.caffemodel"))
    return solver


def off(solver: Solver, recorded: Mapping[str, Array]) -> list[str]:
    """Parameters that are not as recorded after so many iterations."""
    engine, wrong = solver.train_engine, []
    for layer, slot, index in slots(engine.graph):
        key = f"w/{solver.iteration}/{layer}/{slot}"
        values = engine.arena.data[index].detach().reshape(engine.graph.params[index].shape).numpy()
        if key in recorded and (how := difference(values, recorded[key])):
            wrong.append(f"{key}: {how}")
    return wrong


def run(solver: Solver, iterations: int, recorded: Mapping[str, Array]) -> None:
    """Train, and compare after each iteration."""
    for _ in range(iterations):
        solver.step(1)
        assert off(solver, recorded) == []
    solver.close()


@pytest.fixture
def case(request: Any, tmp_path: Path) -> Path:
    """A copy of a recorded case: a solver writes beside what it reads."""
    return Path(shutil.copytree(folder() / request.param, tmp_path / "case", copy_function=shutil.copyfile))


@pytest.mark.parametrize("engine", ["layerwise", "whole"])
@pytest.mark.parametrize("case", cases("solvers"), indirect=True)
def test_weights(case: Path, engine: str) -> None:
    with inside(case):
        for state in case.glob("snap_iter_10.solverstate*"):  # the real one: our own will take its place
            resumed, recorded = Solver.from_file("solver.prototxt", engine=engine), dict(np.load("resume.npz"))
            resumed.restore(str(state), exact=False)
            run(resumed, 10, recorded)
        solver, recorded = trained(case, engine), dict(np.load("data.npz"))
        assert off(solver, recorded) == []
        run(solver, 20, recorded)
