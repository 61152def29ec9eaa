"""Scaled losses: gradients come back to size, overflow skips the update, and the scale finds its level."""

from __future__ import annotations

import pytest
import torch

from caffepy import log
from caffepy.engine.engines import LAYERWISE
from caffepy.engine.numerics import Numerics
from caffepy.solver.solver import Solver
from caffepy.solver.updating import loss_scale
from caffepy.solver.updating.loss_scale import FIRST_SCALE, LossScale
from tools.bench.batches import batches
from tools.bench.candidate import solver_on
from tools.bench.nets import net_text, solver_text

CPU = torch.device("cpu")


def test_gradients_are_divided_by_the_scale() -> None:
    scale = LossScale(CPU)
    gradients = [torch.tensor([FIRST_SCALE, 2 * FIRST_SCALE]), torch.tensor([[-FIRST_SCALE]])]
    assert scale.undo(gradients, 0)
    assert [g.tolist() for g in gradients] == [[1, 2], [[-1]]]
    assert float(scale.scale) == FIRST_SCALE


@pytest.mark.parametrize("bad", [float("inf"), float("-inf"), float("nan")])
def test_overflow_halves_the_scale_and_forbids_the_update(
    bad: float, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    scale = LossScale(CPU)
    assert not scale.undo([torch.ones(3), torch.tensor([bad])], 7)
    assert float(scale.scale) == FIRST_SCALE / 2
    assert "Iteration 7: gradients overflow, no update; loss scale = 32768" in capsys.readouterr().err


def test_the_scale_doubles_after_many_iterations_without_overflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loss_scale, "GROWTH_INTERVAL", 3)
    scale = LossScale(CPU)
    for _ in range(3):
        scale.undo([torch.ones(1)], 0)
    assert float(scale.scale) == 2 * FIRST_SCALE


def test_state_and_restore() -> None:
    scale, other = LossScale(CPU), LossScale(CPU)
    scale.undo([torch.tensor([float("inf")])], 0)
    scale.undo([torch.ones(1)], 1)
    other.restore(scale.state())
    assert other.state() == {"scale": FIRST_SCALE / 2, "calm": 1}


def solver(precision: str, **options: str) -> Solver:
    arrays = batches("lenet", 16)
    return solver_on(net_text("lenet", 16), solver_text("lenet"), arrays, numerics=Numerics(precision), **options)


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_a_training_is_near_the_float32_one(precision: str) -> None:
    exact, rough = solver("fp32"), solver(precision)
    losses = []
    for each in (exact, rough):
        found: list[float] = []
        for _ in range(10):
            each.step(1)
            found.append(each.losses.value())
        losses.append(found)
    assert losses[1] == pytest.approx(losses[0], rel=0.05, abs=0.02)
    assert losses[1] != losses[0]
    assert losses[1][-1] < 0.9 * losses[1][0]
    assert (rough.updater.loss_scale is not None) == (precision == "fp16")


def test_an_iteration_that_overflows_changes_no_parameter() -> None:
    trained = solver("fp16")
    scale = trained.updater.loss_scale
    assert scale is not None
    scale.scale.fill_(1e30)
    before = trained.train_engine.arena.flat.buffer.clone()
    trained.step(1)
    assert torch.equal(trained.train_engine.arena.flat.buffer, before)
    assert all(float(h.abs().max()) == 0 for h in trained.updater.history)
    assert trained.iteration == 1
    scale.scale.fill_(FIRST_SCALE)
    trained.step(1)
    assert not torch.equal(trained.train_engine.arena.flat.buffer, before)


def test_the_layerwise_engine_needs_no_scale() -> None:
    assert solver("fp16", engine=LAYERWISE).updater.loss_scale is None
