"""caffe.get_solver and the solver classes: a solver that scripts drive step by step."""

from __future__ import annotations

import os
from typing import Any

from caffepy.pycaffe.net import Net
from caffepy.pycaffe.state import state
from caffepy.solver.solver import Solver as Loop


class Solver:
    """A solver of the type that its prototxt names.  ``net``: the train net; ``test_nets``: list of nets; ``iter``."""

    def __init__(self, solver_file: str) -> None:
        self._loop = Loop.from_file(os.fspath(solver_file), engine="layerwise", random=state.random, device=state.device)
        self.net = Net.of_engine(self._loop.train_engine)
        self.test_nets = [Net.of_engine(engine) for engine in self._loop.test_engines]

    @property
    def iter(self) -> int:
        """Iterations done."""
        return self._loop.iteration

    def step(self, iterations: int) -> None:
        """Train for so many iterations, with display, tests and snapshots as the solver says."""
        self._loop.step(int(iterations))

    def solve(self, resume_file: str | None = None) -> None:
        """Train to max_iter, from the state in ``resume_file`` if given."""
        if resume_file is not None:
            self.restore(resume_file)
        self._loop.solve()

    def restore(self, state_file: str) -> None:
        """Go on from a .solverstate or .solverstate.h5 file; the data start at the beginning, as in Caffe."""
        self._loop.restore(os.fspath(state_file), exact=False)

    def snapshot(self) -> None:
        """Write model and state now."""
        self._loop.snapshot()


def get_solver(solver_file: str) -> Any:
    """The solver that a solver prototxt describes."""
    return Solver(solver_file)
