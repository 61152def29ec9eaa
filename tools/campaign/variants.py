"""One net and solver by each of caffepy's engines, with other threads and another order in memory: what they compute."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
import torch

from caffepy import log
from caffepy.engine import engines
from caffepy.engine.weights import get
from caffepy.solver.solver import Solver
from tools.campaign import pycaffe_run
from tools.campaign.random_nets.builder import Array, Case, write_data
from tools.campaign.random_nets.solvers import ITERATIONS

Numbers = dict[str, Array]
SHIM = Path(__file__).resolve().parents[2] / "caffepy" / "pycaffe" / "shim"


@dataclass(frozen=True)
class Variant:
    """How a net is computed.  ``nudge``: by which part data and first weights are changed, up or down; ``turn``: which ones which way;
    ``zeros``: those that are 0 too, by the number itself."""

    engine: str = engines.LAYERWISE
    threads: int = 1
    channels_last: bool = False
    nudge: float = 0.0
    turn: int = 0
    zeros: bool = False

    def nudged(self, values: Array) -> Array:
        """Each a little larger or smaller."""
        signs = np.random.default_rng((self.turn, values.size)).choice((-1, 1), values.shape)
        return np.asarray(np.where(values == 0, self.zeros * self.nudge * signs, values * (1 + self.nudge * signs)), np.float32)

    def __str__(self) -> str:
        words = [self.engine, f"{self.threads} thread(s)", *(["channels last"] if self.channels_last else [])]
        return ", ".join([*words, *([f"nudged by {self.nudge:g}"] if self.nudge else [])])


PYCAFFE = "import caffe"
"""caffepy's, in place of an engine."""
REFERENCE = Variant()
OTHERS = (
    Variant(engines.WHOLE),
    Variant(engines.WHOLE, channels_last=True),
    Variant(engines.WHOLE, threads=2, channels_last=True),
    Variant(threads=2),
)
BY_PYCAFFE = Variant(PYCAFFE)
NUDGE = 3e-7
"""A few units in the last place."""
TURNS = 8
DOUBTS = (1e-6, 3e-6, 1e-5, 1e-4)
"""By which part the data are changed where a variant differs by more than rounding: does that make them jump as far?"""


def measure(case: Case, variant: Variant) -> Numbers:
    """Start, a pass, iterations, a test pass, of ``case`` written to the working folder."""
    torch.set_num_threads(variant.threads)
    log.sink.min_level = log.FATAL
    with nudged_data(case, variant):
        if variant.engine == PYCAFFE:
            if str(SHIM) not in sys.path:
                sys.path.insert(0, str(SHIM))
                import caffe  # noqa: F401  it sets up the log

                log.sink.min_level = log.FATAL
            return pycaffe_run.run(ITERATIONS, variant.nudged)
        with patch.object(engines, "prefers_channels_last", lambda *_, **__: variant.channels_last):
            solver = Solver.from_file("solver", engine=variant.engine)
        try:
            return _numbers(solver, variant)
        finally:
            solver.close()


def _numbers(solver: Solver, variant: Variant) -> Numbers:
    engine, found = solver.train_engine, {}
    arena, params = engine.arena, engine.graph.params
    for tensor in arena.data if variant.nudge else ():
        tensor.detach().copy_(torch.from_numpy(variant.nudged(tensor.detach().numpy())))

    def weights(when: str) -> None:
        for index, param in enumerate(params):
            found[f"{when}/param/{param.layer}/{param.slot}"] = np.array(get(arena.data[index])).reshape(param.shape)

    def outputs(when: str, of: engines.Engine) -> None:
        for output in of.outputs():
            found[f"{when}/blob/{output.name}"] = output.data.detach().numpy().copy()

    weights("start")
    engine.clear_gradients()
    found["pass/loss"] = np.array(float(engines.forward_backward(engine)), np.float32)
    outputs("pass", engine)
    for index, gradient in zip(engine.graph.learnable, engine.gradients(), strict=True):
        param = params[index]
        values = np.zeros(param.shape, np.float32) if gradient is None else gradient.detach().numpy().reshape(param.shape).copy()
        found[f"pass/gradient/{param.layer}/{param.slot}"] = values
    for step in range(1, ITERATIONS + 1):
        solver.step(1)
        weights(f"iteration {step}")
        outputs(f"iteration {step}", engine)
    test = solver.test_engines[0]
    test.forward()
    outputs("test", test)
    return found


@contextmanager
def nudged_data(case: Case, variant: Variant) -> Iterator[None]:
    """The file of data a little changed meanwhile."""
    if not variant.nudge:
        yield
        return
    fed = {name: variant.nudged(values) if name in case.floats else values for name, values in case.fed.items()}
    write_data(Path("nudged.h5"), fed)
    os.replace("nudged.h5", "data.h5")
    try:
        yield
    finally:
        write_data(Path("sound.h5"), case.fed)
        os.replace("sound.h5", "data.h5")
