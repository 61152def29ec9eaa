"""What of an iteration is recorded in one, beside plain trainings: here by a recorder that plays back on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from caffepy.engine.captured import CapturedEngine
from caffepy.solver.solver import Solver
from caffepy.solver.updating import recorded_iteration
from tests.engine.tape import Tape
from tests.solver.job import NET
from tests.solver.taped import agree, trained

pytestmark = pytest.mark.usefixtures("closed")
ITERATIONS = 7
FIELDS = f"max_iter: {ITERATIONS} display: 2 snapshot_after_train: false "


def replays(ours: Solver, tape: Tape) -> int:
    """How often something was replayed in its training, in which only the loss shown at the end is of a pass of its own."""
    assert isinstance(ours.train_engine, CapturedEngine)
    assert ours.train_engine.obstacle == ""
    return tape.replayed - (ours.iteration % 2 == 0)


@pytest.mark.parametrize("passes", [1, 2, 3])
def test_an_iteration_is_one_replay(passes: int, tape: Tape) -> None:
    text = f"{FIELDS} clip_gradients: 0.7 iter_size: {passes}"
    ours = trained(text, tape)
    agree(ours, trained(text))
    assert tape.recorded == 1
    assert replays(ours, tape) == ITERATIONS - 1  # the first is plain
    assert ours.updates.recorded


APART = {
    "a rate by the loss": 'lr_policy: "plateau" gamma: 0.5 plateau_winsize: 1',
    "momentum that is new every time": 'momentum: 0.5 momentum_policy: "poly" max_momentum: 0.9 momentum_power: 1',
    "many passes": "iter_size: 4",
}


@pytest.mark.parametrize("name", APART)
def test_passes_and_update_go_apart(name: str, tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_iteration, "MOST_PASSES", 3)
    ours = trained(f"{FIELDS} {APART[name]}", tape)
    agree(ours, trained(f"{FIELDS} {APART[name]}"))
    wanted = {"a rate by the loss": 2 * ITERATIONS, "momentum that is new every time": ITERATIONS, "many passes": 5 * ITERATIONS}
    assert replays(ours, tape) == wanted[name] - 1


class Look:
    """Keeps the first parameter and its gradient before every update."""

    def __init__(self) -> None:
        self.seen: list[torch.Tensor] = []

    def made(self, looked: Solver) -> None:
        self.looked = looked

    def on_start(self) -> None:
        pass

    def on_gradients_ready(self) -> None:
        weights, gradient = self.looked.train_engine.arena.learnable[0], self.looked.train_engine.gradients()[0]
        assert gradient is not None
        self.seen += [weights.detach().clone(), gradient.clone()]


def test_who_looks_at_gradients_finds_them_before_the_update(tape: Tape) -> None:
    ours, plain = Look(), Look()
    trained(FIELDS, tape, look=ours)
    trained(FIELDS, look=plain)
    assert len(ours.seen) == 2 * ITERATIONS
    for mine, theirs in zip(ours.seen, plain.seen, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-3, atol=1e-4)
    assert tape.recorded == 2


def test_a_step_of_the_rate_is_logged_in_its_place(tape: Tape, lines: Callable[[], list[str]]) -> None:
    text = 'display: 1 max_iter: 6 lr_policy: "multistep" gamma: 0.1 stepvalue: 2 stepvalue: 4'

    def told() -> list[str]:
        return [line.partition(" (")[0] for line in lines() if line.startswith(("Iteration", "MultiStep"))]

    trained(text)
    plain = told()
    trained(text, tape)
    found = told()
    assert [line.partition("=")[0] for line in found] == [line.partition("=")[0] for line in plain]
    assert sum(line.startswith("MultiStep") for line in found) == 2


def test_what_cannot_be_recorded_in_one_goes_apart(folder: Path, lines: Callable[[], list[str]]) -> None:
    class NoWhole(Tape):
        def record(self, run: Callable[[], object], *, passes: int = 3) -> object:
            result = super().record(run, passes=passes)
            if not passes and not self.failed:
                self.failed = True
                raise RuntimeError("operation not permitted when stream is capturing")
            return result

        failed = False

    (folder / "net.prototxt").write_text("\n".join(line for line in NET.splitlines() if "Dropout" not in line))
    tape = NoWhole()
    ours = trained(FIELDS, tape)
    agree(ours, trained(FIELDS))
    told = [line for line in lines() if "are not recorded as one CUDA graph: operation not permitted" in line]
    assert len(told) == 1
    assert tape.recorded == 3  # what failed, the passes, the update
    assert ours.updates.recorded
