"""Trainings of ``solver.prototxt`` in the working folder, from its begin to its end, and what they learnt."""

from __future__ import annotations

import numpy as np
import pytest

from caffepy.solver.solver import Solver


def trained(engine: str = "whole", resume: str | None = None) -> list[np.ndarray]:
    """The parameters of a training by ``engine``, from the start or from the state ``resume``."""
    solver = Solver.from_file("solver.prototxt", engine=engine)
    if resume:
        solver.restore(resume)
    solver.solve()
    solver.close()
    return [blob.detach().numpy().copy() for blob in solver.train_engine.arena.learnable]


def check_engines_agree(rel: float = 1e-4, tiny: float = 1e-6) -> None:
    """Both engines learn the same, but for the rounding of their sums."""
    for one, other in zip(trained("layerwise"), trained("whole")):
        assert one == pytest.approx(other, rel=rel, abs=tiny)


def check_resumed(state: str, whole: list[np.ndarray]) -> None:
    """A training that goes on from ``state`` ends with the very parameters of the one that wrote it."""
    for one, other in zip(trained(resume=state), whole):
        np.testing.assert_array_equal(one, other)


def scores(said: list[str], loss: str = "loss") -> list[float]:
    """The values of an output in a log's tests, in order."""
    return [float(line.split(f"{loss} = ")[1].split()[0]) for line in said if "Test net output" in line and f": {loss} = " in line]
