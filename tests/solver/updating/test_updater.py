"""One update against Caffe's order of things, computed in float64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from google.protobuf import text_format

from caffepy.engine.arena import Arena
from caffepy.errors import SolverError
from caffepy.proto import caffe_pb2
from caffepy.solver.updating.updater import Updater, clip_scale
from tests.engine.build import graph_of

Lines = Callable[[], list[str]]
NET = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 } } }
layer { name: "a" type: "InnerProduct" bottom: "data" top: "a" inner_product_param { num_output: 4 }
  param { lr_mult: 1 decay_mult: 1 } param { lr_mult: 2 decay_mult: 0 } }
layer { name: "b" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { num_output: 2 }
  param { lr_mult: 0 } param { lr_mult: 0.5 decay_mult: 3 } }
"""
LR, DECAY = (1.0, 2.0, 0.0, 0.5), (1.0, 0.0, 1.0, 3.0)
RATE = 0.25


def updated(text: str, steps: int = 1, *, keep: bool = False) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """Parameters before and after, and the gradients of every step, which are the same."""
    arena = Arena(graph_of(NET))
    generator = torch.Generator().manual_seed(4)
    for tensor in arena.learnable:
        tensor.data.copy_(torch.randn(tensor.shape, generator=generator))
    before = [t.detach().double().numpy() for t in arena.learnable]
    gradients = [torch.randn(t.shape, generator=generator) for t in arena.learnable]
    updater = Updater(text_format.Parse(text, caffe_pb2.SolverParameter()), arena, keep_updates=keep)
    for iteration in range(steps):
        updater.apply([g.clone() for g in gradients], RATE, iteration)
    return before, [t.detach().double().numpy() for t in arena.learnable], [g.double().numpy() for g in gradients]


def close(found: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(("kind", "direction"), [("L2", lambda w: w), ("L1", np.sign)])
def test_decay_and_multipliers(kind: str, direction: Callable[[np.ndarray], np.ndarray], keep: bool) -> None:
    before, after, gradients = updated(f'momentum: 0.5 weight_decay: 0.1 regularization_type: "{kind}"', keep=keep)
    for w, found, g, lr, decay in zip(before, after, gradients, LR, DECAY):
        close(found, w - RATE * lr * (g + 0.1 * decay * direction(w)))


def test_clip_then_iter_size_then_decay() -> None:
    before, after, gradients = updated("clip_gradients: 0.5 iter_size: 2 weight_decay: 0.1")
    norm = np.sqrt(sum((g**2).sum() for g in gradients))
    assert norm > 0.5
    for w, found, g, lr, decay in zip(before, after, gradients, LR, DECAY):
        close(found, w - RATE * lr * (g * 0.5 / norm / 2 + 0.1 * decay * w))


def test_clip_says_so(lines: Lines) -> None:
    assert clip_scale([torch.tensor([0.5, 0.0])], 0.5) == 1
    assert lines() == []
    assert clip_scale([torch.tensor([3.0, 0.0]), torch.tensor([[4.0]])], 1.0) == pytest.approx(0.2)
    assert lines() == ["Gradient clipping: scaling down gradients (L2 norm 5 > 1) by scale factor 0.2"]


@pytest.mark.parametrize("momentum", [0, 0.9])
def test_clip_to_nothing(momentum: float) -> None:
    before, after, _ = updated(f"clip_gradients: 0 momentum: {momentum}")
    for w, found in zip(before, after):
        close(found, w)


def test_rates_of_single_parameters_replace_lr_mult() -> None:
    before, after, gradients = updated("larc: true larc_eta: 0.01 momentum: 0.5 weight_decay: 0.1", steps=1)
    for w, found, g, lr, decay in zip(before, after, gradients, LR, DECAY):
        local = 0.01 * np.linalg.norm(w.ravel()) / np.linalg.norm(g.ravel())
        close(found, w - RATE * local * (g + 0.1 * decay * w) if lr else w)


@pytest.mark.parametrize("kind", ["AdaGrad", "RMSProp", "AdaDelta", "Adam"])
@pytest.mark.parametrize("rates", ["larc: true", "local_lr_auto: true"])
def test_rates_of_single_parameters_leave_frozen_ones_alone(kind: str, rates: str) -> None:
    """Whose history weight decay still changes."""
    before, after, _ = updated(f'type: "{kind}" {rates} weight_decay: 0.1', steps=2)
    assert [bool((w != found).any()) for w, found in zip(before, after)] == [bool(lr) for lr in LR]


def test_rates_of_single_parameters_scale_what_adam_subtracts() -> None:
    before, after, gradients = updated('type: "Adam" larc: true larc_eta: 0.01 momentum: 0.9')
    for w, found, g, lr in zip(before, after, gradients, LR):
        local = 0.01 * np.linalg.norm(w.ravel()) / np.linalg.norm(g.ravel())
        close(found, w - RATE * local * np.sign(g) if lr else w)  # Adam's first step is the rate times the sign


def test_warm_up_corrects_the_momentum() -> None:
    """Rates are given to the updater; the correction is that of the warm-up's own: 1, 2, 3."""
    text = "base_lr: 4 warmup_start_lr: 1 warmup_iter: 3 momentum: 0.5"
    before, after, gradients = updated(text, steps=3)
    first, second = 1.0, 0.5 * 2.0 * 1.0 + 1.0
    third = 0.5 * (3.0 / 2.0) * second + 1.0
    for w, found, g, lr in zip(before, after, gradients, LR):
        close(found, w - RATE * lr * g * (first + second + third))


def test_unknown_regularization() -> None:
    with pytest.raises(SolverError, match="Unknown regularization type: L3; needed: L1 or L2"):
        updated('weight_decay: 0.1 regularization_type: "L3"')


def test_a_parameter_without_gradient_still_decays() -> None:
    arena = Arena(graph_of(NET))
    arena.learnable[0].data.fill_(1.0)
    param = text_format.Parse("weight_decay: 0.5 momentum: 0.9", caffe_pb2.SolverParameter())
    Updater(param, arena).apply([None] * 4, RATE, 0)
    assert arena.learnable[0].detach().unique().tolist() == [1 - RATE * 0.5]


@pytest.mark.parametrize(("kind", "learnt"), [("Adam", True), ("AdaGrad", True), ("SGD", False)])
def test_the_history_of_a_parameter_that_stays_as_it_is(kind: str, learnt: bool) -> None:
    arena = Arena(graph_of(NET))
    for tensor in arena.learnable:
        tensor.data.fill_(2)
    updater = Updater(text_format.Parse(f'type: "{kind}" weight_decay: 0.5', caffe_pb2.SolverParameter()), arena)
    updater.apply([None] * len(arena.learnable), RATE, 0)
    assert LR[2] == 0
    assert (arena.learnable[2] == 2).all()
    assert (updater.history[2] == (1 if learnt else 0)).all(), "0.5 * 2, squared or not"


FROZEN_GATES = """
layer { name: "in" type: "Input" top: "x" top: "cont" input_param { shape { dim: 2 dim: 1 dim: 3 } shape { dim: 2 dim: 1 } } }
layer { name: "lstm" type: "LSTM" bottom: "x" bottom: "cont" top: "y" param { lr_mult: 0 } recurrent_param { num_output: 2 } }
layer { name: "sum" type: "Reduction" bottom: "y" top: "sum" loss_weight: 1 }
"""


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(("kind", "learnt"), [("RMSProp", 0.01), ("AdaGrad", 1), ("Adam", 0.1), ("SGD", 0), ("Nesterov", 0)])
def test_a_frozen_blob_with_a_gradient(kind: str, learnt: float, keep: bool) -> None:
    """Caffe's recurrent layers compute those of frozen blobs too: the history learns of it, and the update takes its place."""
    arena = Arena(graph_of(FROZEN_GATES))
    before = arena.learnable[0].detach().clone()
    momentum = 0 if kind in ("RMSProp", "AdaGrad") else 0.9
    param = text_format.Parse(f'type: "{kind}" momentum: {momentum}', caffe_pb2.SolverParameter())
    updater = Updater(param, arena, keep_updates=keep)
    gradients = [torch.ones_like(tensor) for tensor in arena.learnable]
    updater.apply(gradients, RATE, 0)
    close(updater.history[0].numpy(), np.full_like(before, learnt))
    assert torch.equal(arena.learnable[0].detach(), before)
    if keep:
        assert not gradients[0].any()


def test_momentum_of_before_moves_a_parameter_that_was_frozen_since() -> None:
    arena = Arena(graph_of(NET))
    before = arena.learnable[2].detach().clone()
    updater = Updater(text_format.Parse("momentum: 0.5", caffe_pb2.SolverParameter()), arena)
    updater.history[2].fill_(0.25)  # as from a solverstate
    updater.regroup()
    updater.apply([None] * len(arena.learnable), RATE, 0)
    assert (updater.history[2] == 0.125).all()
    assert (arena.learnable[2] == before - 0.125).all()


@pytest.mark.parametrize("keep", [False, True])
def test_momentum_and_decay_that_change(keep: bool) -> None:
    schedules = 'momentum_policy: "poly" max_momentum: 0.8 weight_decay_policy: "poly" weight_decay_power: 2'
    before, after, gradients = updated(f"momentum: 0.4 weight_decay: 0.1 max_iter: 2 {schedules}", 3, keep=keep)
    for w, found, g, lr, decay in zip(before, after, gradients, LR, DECAY):
        value, history = w, np.zeros_like(w)
        for momentum, share in ((0.4, 0.0), (0.6, 0.25), (0.8, 1.0)):
            history = momentum * history + RATE * lr * (g + 0.1 * share * decay * value)
            value = value - history
        close(found, value)


def test_an_update_without_any_gradient() -> None:
    arena = Arena(graph_of(NET))
    param = text_format.Parse("iter_size: 2 momentum: 0.9", caffe_pb2.SolverParameter())
    before = [tensor.detach().clone() for tensor in arena.learnable]
    Updater(param, arena, keep_updates=True).apply([None] * len(before), RATE, 0)
    assert all(map(torch.equal, before, [tensor.detach() for tensor in arena.learnable]))
