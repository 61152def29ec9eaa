"""Whole trainings with recorded passes and updates, as on a GPU, beside plain ones: tests, snapshots and log lines in between."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from caffepy.engine.numerics import Numerics
from tests.engine.tape import Tape
from tests.solver.taped import agree, trained

pytestmark = pytest.mark.usefixtures("closed")
Lines = Callable[[], list[str]]
ITERATIONS = 30
BETWEEN = f"""max_iter: {ITERATIONS} display: 3 average_loss: 2 test_iter: 3 test_iter: 2 test_interval: 7 snapshot: 11
test_state {{ }} test_state {{ stage: "other" }}"""
RATE = 'base_lr: 0.05 lr_policy: "inv" gamma: 0.1 power: 0.75 '
TRAININGS = {
    "SGD": RATE + "weight_decay: 0.01",
    "clipped SGD": RATE + "clip_gradients: 0.7",
    "Adam of two clipped passes": 'base_lr: 0.01 type: "Adam" delta: 1e-3 clip_gradients: 0.5 iter_size: 2',
    "a rate of steps": 'lr_policy: "multistep" gamma: 0.1 stepvalue: 9 stepvalue: 20 weight_decay: 0.01',
    "fp16": RATE + "clip_gradients: 0.7 iter_size: 2",
}


def words_and_numbers(told: list[str]) -> tuple[list[str], list[float]]:
    """Of the lines of the training itself, without times."""
    text = "\n".join(re.sub(r"\(.* iter/s.*?\)", "", line) for line in told[told.index("Solving tiny") :] if "prefetching" not in line)
    number = r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]\d+)?"
    return re.sub(number, "#", text).splitlines(), [float(found) for found in re.findall(number, text)]


@pytest.mark.parametrize("name", TRAININGS)
def test_training_with_tests_and_snapshots_in_between(name: str, tape: Tape, lines: Lines) -> None:
    numerics = Numerics("fp16" if name == "fp16" else "fp32")
    plain = trained(f"{BETWEEN} {TRAININGS[name]}", numerics=numerics)
    wanted = words_and_numbers(lines())
    recorded = trained(f"{BETWEEN} {TRAININGS[name]}", tape, numerics=numerics)
    found = words_and_numbers(lines())
    agree(recorded, plain)
    assert found[0] == wanted[0]
    assert found[1] == pytest.approx(wanted[1], rel=2e-2, abs=2e-3)
    assert any("clipping" in line for line in found[0]) == ("clip_gradients" in TRAININGS[name])
    assert tape.recorded == 4  # the iteration, and passes without gradients of the net that learns and of two nets that are tested
    assert recorded.updates.recorded


@pytest.mark.parametrize("name", TRAININGS)
def test_going_on_from_a_snapshot(name: str, tape: Tape) -> None:
    numerics = Numerics("fp16" if name == "fp16" else "fp32")
    whole = trained(f"{BETWEEN} {TRAININGS[name]}", tape, numerics=numerics)
    rest = trained(f"{BETWEEN} {TRAININGS[name]}", tape, state="s_iter_22.solverstate", numerics=numerics)
    assert rest.speed.iterations == ITERATIONS - 22
    agree(rest, whole)
