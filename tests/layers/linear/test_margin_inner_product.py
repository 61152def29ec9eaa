"""MarginInnerProduct."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from caffepy.layers.core.base import TRAIN, Run
from caffepy.layers.core.random import CaffeRandom
from tests.engine.build import built, feed
from tests.layers.check import check_layer, gradients, refusal, subject, tops, values

KINDS = {"SINGLE": 1, "DOUBLE": 2, "TRIPLE": 3, "QUADRUPLE": 4}
REASON = "the weights' gradient is that of a plain product, and an item's by its label's score has the length 1"
LABELS = [0.0, 2, 1, 2, 0, 1]


def layer(fields: str = "", *, top: str = 'top: "lambda"') -> str:
    return f"""layer {{ name: "l" type: "MarginInnerProduct" bottom: "x" bottom: "t" top: "y" {top}
                margin_inner_product_param {{ num_output: 3 weight_filler {{ type: "gaussian" }} {fields} }} }}"""


def psi(angle: Tensor, m: int) -> Tensor:
    """cos(m * angle), turned over and put below so that it goes on falling."""
    part = (angle * m / math.pi).floor().detach()
    return (-1) ** part * torch.cos(m * angle) - 2 * part


def items() -> Tensor:
    """At angles to the weights on both sides of all turns."""
    return values((6, 4), 5) * 2


@pytest.mark.parametrize("kind", KINDS)
def test_layer(kind: str) -> None:
    it = check_layer(layer(f"type: {kind} base: 3 gamma: 0.5"), no_gradcheck=REASON, x=items(), t=LABELS)
    assert it.layer.blobs[0].shape == (3, 4)
    check_layer(layer(f"type: {kind}", top=""), no_gradcheck=REASON, x=items(), t=LABELS)


def test_axis() -> None:
    it = check_layer(layer("axis: 2 type: DOUBLE"), no_gradcheck=REASON, x=(2, 2, 3), t=[[0, 2], [1, 1]])
    assert it.forward()[0].shape == (2, 2, 3)


@pytest.mark.parametrize(("kind", "m"), KINDS.items())
@pytest.mark.parametrize("plain_part", [0.0, 4.0])
def test_scores_and_gradients(kind: str, m: int, plain_part: float) -> None:
    text, x, index = layer(f"type: {kind} base: 0 lambda_min: {plain_part}"), items(), torch.tensor(LABELS).long()
    it = subject(text, x=x, t=LABELS)
    weight = torch.nn.functional.normalize(it.blobs()[0])
    rows = torch.arange(6)
    way = x.clone().requires_grad_()
    plain = way @ weight.t()
    own = way.norm(dim=1) * psi((plain[rows, index] / way.norm(dim=1)).acos(), m)
    wanted = plain.clone()
    if m > 1:
        wanted[rows, index] = own
        wanted = (wanted + plain_part * plain) / (1 + plain_part)
    torch.testing.assert_close(it.forward()[0], wanted)

    start = values((6, 3), 9)
    (straight,) = torch.autograd.grad(own.sum(), way, retain_graph=True)
    cosine = (plain[rows, index] / way.norm(dim=1)).detach().requires_grad_()
    (slope,) = torch.autograd.grad(psi(cosine.acos(), m).sum(), cosine)
    size = (slope**2 + ((psi(cosine.acos(), m) - cosine * slope) / x.norm(dim=1)) ** 2).sqrt().detach()
    others = start.clone()
    others[rows, index] = 0
    wanted_dx = start @ weight
    if m > 1:
        learnt = (start[rows, index] / size).unsqueeze(1) * straight
        wanted_dx = (others @ weight + learnt + plain_part * wanted_dx) / (1 + plain_part)
    dx, dw = gradients(text, start, x=x, t=LABELS)
    torch.testing.assert_close(dx, wanted_dx)
    torch.testing.assert_close(dw, start.t() @ x)


def test_lambda_falls_from_pass_to_pass() -> None:
    it = subject(layer("base: 1000 gamma: 0.12 power: 2 lambda_min: 300 iteration: 4"), x=items(), t=LABELS)
    run = Run(TRAIN, CaffeRandom(1), inplace=False)
    found = [float(it.layer.forward(it.bottoms(), it.blobs(), run)[1]) for _ in range(4)]
    assert found == pytest.approx([max(300, 1000 * (1 + 0.12 * i) ** -2) for i in (5, 6, 7, 8)], rel=1e-5)
    assert found[2:] == [300, 300]


def test_both_engines_bring_the_weights_to_length_1() -> None:
    text = """layer { name: "x" type: "Input" top: "x" input_param { shape { dim: 6 dim: 4 } } }
              layer { name: "t" type: "Input" top: "t" input_param { shape { dim: 6 } } }
              layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc"
                inner_product_param { num_output: 4 weight_filler { type: "xavier" } } }
              layer { name: "l" type: "MarginInnerProduct" bottom: "fc" bottom: "t" top: "y" top: "lambda" margin_inner_product_param {
                num_output: 3 type: QUADRUPLE base: 5 gamma: 0.3 weight_filler { type: "gaussian" std: 3 } } }
              layer { name: "loss" type: "SoftmaxWithLoss" bottom: "y" bottom: "t" top: "loss" }"""
    inputs = {"x": items(), "t": torch.tensor(LABELS)}
    layerwise, whole = feed(built(text).layerwise, inputs), built(text).whole
    for _ in range(3):
        assert float(whole.forward_backward(inputs)) == pytest.approx(float(layerwise.forward_backward()), rel=1e-5)
        for ours, theirs in zip(whole.gradients(), layerwise.gradients(), strict=True):
            torch.testing.assert_close(ours, theirs)
    for engine in (layerwise, whole):
        torch.testing.assert_close(engine.arena.learnable[2].detach().norm(dim=1), torch.ones(3))


def test_refusals() -> None:
    assert "label 3 found; needed: 0 to 2" in refusal(layer(), x=(1, 2), t=[3])
    assert "num_output is 0" in refusal('layer { name: "l" type: "MarginInnerProduct" bottom: "x" bottom: "t" top: "y" }', x=(1, 2), t=[0])
    assert "bottom 1 is (3,); needed: 2 labels" in refusal(layer(), x=(2, 4), t=[0, 1, 2])


def test_one_top() -> None:
    assert len(tops(layer(top=""), x=items(), t=LABELS)) == 1
