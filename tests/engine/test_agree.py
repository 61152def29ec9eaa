"""Two engines, one truth: losses, outputs and gradients of the fast engine are those of the reference."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.engine.build import TEST, TRAIN, built, feed, feeds
from tests.engine.nets import IMAGE, IP, NETS


def reference(text: str, phase: int) -> tuple[float, dict[str, Tensor], list[Tensor | None], list[Tensor]]:
    engine = feed(built(text, phase).layerwise, feeds())
    loss = float(engine.forward_backward())
    return loss, {o.name: o.data for o in engine.outputs()}, engine.gradients(), [t.detach() for t in engine.arena.learnable]


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("name", NETS)
def test_training_pass_agrees(name: str, channels_last: bool) -> None:
    loss, outputs, gradients, params = reference(NETS[name], TRAIN)
    engine = built(NETS[name], TRAIN, channels_last=channels_last).whole
    assert float(engine.forward_backward(feeds())) == pytest.approx(loss, rel=1e-5)
    for output in engine.outputs():
        torch.testing.assert_close(output.data, outputs[output.name], rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(engine.gradients(), gradients, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None and theirs is not None:
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(engine.arena.learnable, params, strict=True):
        torch.testing.assert_close(ours.detach(), theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", NETS)
def test_test_pass_agrees(name: str) -> None:
    loss, outputs, _, _ = reference(NETS[name], TEST)
    engine = built(NETS[name], TEST, channels_last=True).whole
    assert float(engine.forward(feeds())) == pytest.approx(loss, rel=1e-5)
    for output in engine.outputs():
        torch.testing.assert_close(output.data, outputs[output.name], rtol=1e-4, atol=1e-5)


def test_a_loss_that_is_read_again_counts_in_the_loss_but_not_twice_in_the_gradient() -> None:
    engine = built(NETS["loss_read_again"]).whole
    engine.forward_backward(feeds())
    reference_loss, _, gradients, _ = reference(NETS["loss_read_again"], TRAIN)
    first = engine.gradients()[0]
    assert first is not None
    assert gradients[0] is not None
    torch.testing.assert_close(first, gradients[0], rtol=1e-4, atol=1e-6)
    assert reference_loss > 4


def test_a_test_net_computes_with_the_training_nets_parameters() -> None:
    train = built(NETS["in_place"], TRAIN)
    engine = built(NETS["in_place"], TEST, share=train.arena).whole
    before = float(engine.forward(feeds()))
    train.arena.flat.buffer.zero_()
    assert float(engine.forward(feeds())) == pytest.approx(torch.log(torch.tensor(5.0)).item())
    assert before != pytest.approx(torch.log(torch.tensor(5.0)).item(), rel=1e-3)


ON_LOSS = 'layer {{ name: "{0}" type: "{0}" bottom: "loss" top: "loss" {1} }} '


@pytest.mark.parametrize(
    ("behind", "factor"),
    [
        (ON_LOSS.format("ReLU", ""), lambda loss: 1),
        (ON_LOSS.format("ReLU", "loss_weight: 5"), lambda loss: 5),
        (ON_LOSS.format("ReLU", "") + ON_LOSS.format("Exp", "exp_param { scale: 0.5 }"), lambda loss: math.exp(loss / 2) / 2),
        (ON_LOSS.format("ReLU", "").replace('top: "loss"', 'top: "elsewhere"'), lambda loss: 0),
    ],
    ids=["relu", "weighted", "two", "not_in_place"],
)
def test_force_backward_starts_from_the_weight_of_a_loss_above_what_works_on_it_in_place(
    behind: str, factor: Callable[[float], float]
) -> None:
    text = f"""force_backward: true {IMAGE}
layer {{ name: "ip" type: "InnerProduct" bottom: "data" top: "ip" {IP} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }}
"""
    only, _, plain, _ = reference(text, TRAIN)
    loss, _, theirs, _ = reference(text + behind, TRAIN)
    engine = built(text + behind).whole
    assert float(engine.forward_backward(feeds())) == pytest.approx(loss)
    for ours, expected in zip(engine.gradients(), theirs, strict=True):
        assert expected is not None
        torch.testing.assert_close(torch.zeros_like(expected) if ours is None else ours, expected)
    for expected, once in zip(theirs, plain, strict=True):
        assert expected is not None
        assert once is not None
        torch.testing.assert_close(expected, factor(only) * once)


@pytest.mark.parametrize(
    ("loss", "behind", "expected"),
    [
        ("loss_weight: 2", 'type: "Power" bottom: "loss" top: "p" power_param { scale: 3 } loss_weight: 0.5', [4.5, 7, 7]),
        ("", 'type: "Power" bottom: "loss" top: "p" power_param { scale: 3 } loss_weight: 0.5', [2.5, 3, 3]),
        ("loss_weight: 2", 'type: "Silence" bottom: "loss"', [3, 4, 4]),
        ("", 'type: "Silence" bottom: "loss"', [1, 1, 1]),
        ("", 'type: "ReLU" bottom: "loss" top: "loss" loss_weight: 5', [10, 10, 10]),
        ("", 'type: "Power" bottom: "loss" top: "p" } force_backward: true #', [1, 0, 0]),
    ],
)
def test_a_loss_counts_by_the_diff_that_the_last_pass_left(loss: str, behind: str, expected: list[float]) -> None:
    """Caffe multiplies the values of a loss by its diff, which is the weight until a backward pass overwrites it."""
    text = f"""{IMAGE}
layer {{ name: "ip" type: "InnerProduct" bottom: "data" top: "ip" {IP} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" {loss} }}
"""
    alone = float(built(text.replace("loss_weight: 2", "")).whole.forward(feeds()))
    net = built(text + "layer { name: 'behind' " + behind + " }")
    layerwise, whole = feed(net.layerwise, feeds()), net.whole
    for engine in (layerwise.forward_backward, lambda: whole.forward_backward(feeds())):
        assert [float(engine()) / alone for _ in expected] == pytest.approx(expected, rel=1e-5)
    assert float(whole.forward(feeds())) / alone == pytest.approx(expected[-1], rel=1e-5)


@pytest.mark.parametrize("engine", ["layerwise", "whole"])
@pytest.mark.parametrize(
    ("fields", "learns"),
    [('type: "Softmax"', True), ('type: "Im2col" convolution_param { kernel_size: 1 }', True), ('type: "Sigmoid"', False)],
)
def test_layers_that_hand_a_gradient_on_though_propagate_down_is_false(engine: str, fields: str, learns: bool) -> None:
    """As Caffe's own: the loss behind them reaches what comes before."""
    both = f"""
layer {{ name: "d" type: "DummyData" top: "x" top: "t" dummy_data_param {{ shape {{ dim: 2 dim: 3 dim: 2 dim: 2 }}
  data_filler {{ type: "gaussian" std: 1 }} }} }}
layer {{ name: "s" type: "Scale" bottom: "x" top: "s" scale_param {{ }} }}
layer {{ name: "sum" type: "Reduction" bottom: "s" top: "sum" loss_weight: 1 }}
layer {{ name: "l" bottom: "s" top: "y" propagate_down: false {fields} }}
layer {{ name: "loss" type: "EuclideanLoss" bottom: "y" bottom: "t" top: "loss" }}
"""
    found = []
    for text in (both, both.partition('layer { name: "l"')[0]):
        it = built(text)
        runner = it.layerwise if engine == "layerwise" else it.whole
        runner.forward_backward()
        found += [gradient for gradient in runner.gradients() if gradient is not None]
    assert torch.allclose(*found, atol=1e-5) != learns
