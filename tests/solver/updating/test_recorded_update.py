"""Updates recorded and replayed, beside plain ones: the kernels are repeated, so that what Python computes counts once only."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from google.protobuf import text_format
from torch import Tensor

from caffepy import log
from caffepy.engine.captured import CapturedEngine
from caffepy.engine.numerics import Numerics
from caffepy.proto import caffe_pb2
from caffepy.solver.update_rules.lr_policy import PolicyState, learning_rate
from caffepy.solver.updating import recorded_update
from caffepy.solver.updating.loss_scale import LossScale, loss_scale
from caffepy.solver.updating.recorded_update import RecordedUpdate
from caffepy.solver.updating.updater import Updater
from tests.engine.build import Built, built, feeds
from tests.engine.nets import NETS
from tests.engine.tape import Tape

pytestmark = pytest.mark.usefixtures("closed")
ITERATIONS = 6
INV = 'base_lr: 0.05 lr_policy: "inv" gamma: 0.1 power: 0.75 '
MOMENTUM = "momentum: 0.9 "
SOLVERS = {
    "SGD": INV + MOMENTUM + "weight_decay: 0.01",
    "SGD without momentum": INV + "weight_decay: 0.01",
    "SGD, rate 0 at first": 'base_lr: 0.05 lr_policy: "poly" power: 1 max_iter: 10 rampup_interval: 3 momentum: 0.9',
    "L1": INV + MOMENTUM + 'weight_decay: 0.01 regularization_type: "L1"',
    "clipped": INV + MOMENTUM + "weight_decay: 0.01 clip_gradients: 0.5",
    "three passes": INV + MOMENTUM + "weight_decay: 0.01 clip_gradients: 1 iter_size: 3",
    "Nesterov": INV + MOMENTUM + 'weight_decay: 0.01 type: "Nesterov"',
    "AdaGrad": INV + 'weight_decay: 0.01 type: "AdaGrad" delta: 1e-4',
    "RMSProp": INV + 'weight_decay: 0.01 type: "RMSProp" rms_decay: 0.9 delta: 1e-4',
    "AdaDelta": INV + 'momentum: 0.95 weight_decay: 0.01 type: "AdaDelta" delta: 1e-4',
    "Adam": INV + 'momentum: 0.9 momentum2: 0.99 weight_decay: 0.01 type: "Adam" delta: 1e-4',
    "Adam, three passes": INV + 'momentum: 0.9 momentum2: 0.99 type: "Adam" delta: 1e-4 clip_gradients: 1 iter_size: 3',
    "LARS": INV + MOMENTUM + "weight_decay: 0.01 local_lr_auto: true",
    "LARC": INV + MOMENTUM + 'weight_decay: 0.01 larc: true larc_policy: "clip"',
    "steps": 'base_lr: 0.05 lr_policy: "step" gamma: 0.1 stepsize: 2 momentum: 0.9',
}


def solver_param(text: str) -> caffe_pb2.SolverParameter:
    return text_format.Parse(text, caffe_pb2.SolverParameter())


def captured(net: Built, tape: Tape) -> CapturedEngine:
    return CapturedEngine(net.graph, net.arena, net.random, recorder=tape)


def train(
    net: Built,
    engine: object,
    param: caffe_pb2.SolverParameter,
    apply: Callable[[list[Tensor | None], float, int], None],
    iterations: int = ITERATIONS,
) -> None:
    """Like the solver's loop, each pass on other values; never on zeros, whose ReLUs behind BatchNorm hang on rounding alone."""
    for iteration in range(iterations):
        engine.clear_gradients()
        for number in range(param.iter_size):
            batch = feeds()
            engine.forward_backward({**batch, "data": batch["data"] * ((1 + iteration) / (1 + number))})
        apply(engine.gradients(), learning_rate(param, iteration, PolicyState(), lambda: 0.0), iteration)


def close(ours: list[Tensor], theirs: list[Tensor]) -> None:
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine.detach(), other.detach(), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", SOLVERS)
def test_replayed_updates_are_those_of_the_updater(name: str) -> None:
    param, tape = solver_param(SOLVERS[name]), Tape()
    plain, ours = built(NETS["residual"]), built(NETS["residual"])
    updater = Updater(param, plain.arena)
    train(plain, plain.whole, param, updater.apply)
    engine, recorded_updater = captured(ours, tape), Updater(param, ours.arena)
    recorded = RecordedUpdate(recorded_updater, engine)
    train(ours, engine, param, recorded.apply)
    close(ours.arena.learnable, plain.arena.learnable)
    close(recorded_updater.history, updater.history)
    assert tape.recorded == 2  # the passes, and the update
    assert tape.replayed == ITERATIONS * param.iter_size + ITERATIONS - 1


def test_clipping_is_told_for_the_iterations_that_clip(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    param = solver_param(INV + MOMENTUM + "clip_gradients: 2")

    def lines(apply: Callable[[list[Tensor | None], float, int], None], net: Built, engine: object) -> list[str]:
        capsys.readouterr()
        train(net, engine, param, apply)
        told = [line.partition("] ")[2] for line in capsys.readouterr().err.splitlines() if "clipping" in line]
        return [line[:60] for line in told]

    plain, ours = built(NETS["in_place"]), built(NETS["in_place"])
    wanted = lines(Updater(param, plain.arena).apply, plain, plain.whole)
    engine = captured(ours, Tape())
    recorded = RecordedUpdate(Updater(param, ours.arena), engine)
    found = lines(recorded.apply, ours, engine)
    recorded.log_reports()
    last = [line.partition("] ")[2][:60] for line in capsys.readouterr().err.splitlines()]
    assert 0 < len(wanted) < ITERATIONS
    assert found + last == wanted


@pytest.mark.parametrize("name", ["SGD", "Nesterov", "Adam", "RMSProp", "AdaGrad", "clipped"])
def test_overflow_leaves_everything_as_it_was(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    param, net = solver_param(SOLVERS[name]), built(NETS["in_place"])
    engine, scale = captured(net, Tape()), LossScale(torch.device("cpu"))
    engine.loss_scale = scale.scale
    updater = Updater(param, net.arena, loss_scale=scale)
    recorded = RecordedUpdate(updater, engine)
    for iteration in range(3):
        before = [tensor.detach().clone() for tensor in (*net.arena.learnable, *updater.history)]
        engine.clear_gradients()
        batch = feeds()
        engine.forward_backward({**batch, "data": batch["data"] * (float("inf") if iteration == 1 else 1)})
        recorded.apply(engine.gradients(), 0.1, iteration)
        after = [tensor.detach() for tensor in (*net.arena.learnable, *updater.history)]
        assert all(map(torch.equal, before, after)) == (iteration == 1)
    recorded.log_reports()
    assert float(scale.scale) == 32768
    assert capsys.readouterr().err.count("Iteration 1: gradients overflow, no update; loss scale = 32768") == 1


def test_an_overflow_that_no_kernel_leaves_out_is_not_recorded() -> None:
    param, net, tape = solver_param(SOLVERS["AdaDelta"]), built(NETS["in_place"]), Tape()
    engine = captured(net, tape)
    scale = loss_scale(engine, Numerics("fp16"))
    recorded = RecordedUpdate(Updater(param, net.arena, loss_scale=scale), engine)
    train(net, engine, param, recorded.apply)
    assert tape.recorded == 1


def test_momentum_that_is_new_every_time_ends_the_recording(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    monkeypatch.setattr(recorded_update, "MOST_RECORDINGS", 3)
    param = solver_param(INV + 'momentum: 0.5 momentum_policy: "poly" max_momentum: 0.9 momentum_power: 1 max_iter: 10')
    plain, ours, tape = built(NETS["in_place"]), built(NETS["in_place"]), Tape()
    train(plain, plain.whole, param, Updater(param, plain.arena).apply)
    capsys.readouterr()
    engine = captured(ours, tape)
    train(ours, engine, param, RecordedUpdate(Updater(param, ours.arena), engine).apply)
    close(ours.arena.learnable, plain.arena.learnable)
    assert capsys.readouterr().err.count("are not recorded as a CUDA graph: momentum, weight decay or") == 1
    assert tape.recorded == 1


def test_a_recording_that_fails_leaves_plain_updates(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class NoUpdates(Tape):
        def record(self, run: Callable[[], object], *, passes: int = 3) -> object:
            if not passes:
                raise RuntimeError("operation not permitted when stream is capturing")
            return super().record(run, passes=passes)

    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    param, plain, ours = solver_param(SOLVERS["SGD"]), built(NETS["in_place"]), built(NETS["in_place"])
    train(plain, plain.whole, param, Updater(param, plain.arena).apply)
    capsys.readouterr()
    engine = captured(ours, NoUpdates())
    train(ours, engine, param, RecordedUpdate(Updater(param, ours.arena), engine).apply)
    close(ours.arena.learnable, plain.arena.learnable)
    assert capsys.readouterr().err.count("are not recorded as a CUDA graph: operation not permitted") == 1


@pytest.mark.parametrize(("passes", "recorded"), [(1, 4), (2, 3)])
def test_batches_of_several_sizes(passes: int, recorded: int) -> None:
    """Of one pass, the gradients of each size have a place of their own, and an update of their own; sums of several have one place."""
    param = solver_param(f"{SOLVERS['clipped']} iter_size: {passes}")
    plain, ours, tape = built(NETS["in_place"]), built(NETS["in_place"]), Tape()
    engine = captured(ours, tape)
    for net, whole, updater in (
        (plain, plain.whole, Updater(param, plain.arena)),
        (ours, engine, RecordedUpdate(Updater(param, ours.arena), engine)),
    ):
        for iteration, sizes in enumerate([(4, 8), (4, 4), (8, 8), (8, 4), (4, 8), (8, 8)]):
            whole.clear_gradients()
            for size in sizes[:passes]:
                whole.forward_backward(feeds(size))
            updater.apply(whole.gradients(), learning_rate(param, iteration, PolicyState(), lambda: 0.0), iteration)
        assert net is plain or tape.recorded == recorded
    close(ours.arena.learnable, plain.arena.learnable)


def test_nothing_clipped_to_nothing_is_nothing() -> None:
    param, net = solver_param(INV + MOMENTUM + "clip_gradients: 0"), built(NETS["in_place"])
    engine = captured(net, Tape())
    recorded = RecordedUpdate(Updater(param, net.arena), engine)
    engine.loss_scale = torch.zeros(())  # no gradient at all
    train(net, engine, param, recorded.apply, 3)
    assert all(tensor.isfinite().all() for tensor in net.arena.learnable)
