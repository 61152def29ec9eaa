"""LabelSpecificAdd."""

from __future__ import annotations

import pytest
import torch

from caffepy.layers.core.base import TEST, TRAIN, Run
from caffepy.layers.core.random import CaffeRandom
from tests.engine.build import built, feed
from tests.layers.check import check_layer, gradients, refusal, subject, tops, values

LABELS = [0.0, 2, 1, 2]
SCORES = [[0.9, 0.1, 0.2], [0.3, 0.4, 0.25], [0.1, 0.35, 0.2], [0.5, 0.6, 0.4]]


def layer(fields: str = "bias: -0.35", *, top: str = 'top: "bias"') -> str:
    return f"""layer {{ name: "l" type: "LabelSpecificAdd" bottom: "x" bottom: "t" top: "y" {top}
                label_specific_add_param {{ {fields} }} }}"""


@pytest.mark.parametrize("phase", [TRAIN, TEST])
@pytest.mark.parametrize("top", ["", 'top: "bias"'])
def test_layer(phase: int, top: str) -> None:
    check_layer(layer(top=top), phase=phase, x=(4, 3), t=LABELS)
    check_layer(layer(top=top), phase=phase, x=(4, 2, 3), t=LABELS)
    check_layer(layer("bias_base: 0.1 bias_gamma: 1 bias_max: 9", top=top), phase=phase, x=(4, 3), t=LABELS)


def test_scores_above_the_margin_lose_it() -> None:
    scores = torch.tensor(SCORES)
    y, bias = tops(layer(), x=scores, t=LABELS)
    wanted = scores.clone()
    wanted[0, 0] -= 0.35  # 0.25 is not above it, nor is 0.35 itself
    wanted[3, 2] -= 0.35
    torch.testing.assert_close(y, wanted)
    assert bias.tolist() == pytest.approx([-0.35])
    (dx,) = gradients(layer(), values((4, 3), 7), x=scores, t=LABELS)
    torch.testing.assert_close(dx, values((4, 3), 7))


def test_a_positive_bias_wants_a_score_above_minus_itself() -> None:
    (y,) = tops(layer("bias: 0.5", top=""), x=torch.tensor([[0.1, 2], [-0.5, 1], [-0.4, 1]]), t=[0.0, 0, 0])
    assert y[:, 0].tolist() == pytest.approx([0.6, -0.5, 0.1])


@pytest.mark.parametrize("fields", ["bias: -0.35", "bias: -0.35 transform_test: true"])
def test_a_test_leaves_the_scores(fields: str) -> None:
    y, bias = tops(layer(fields), phase=TEST, x=torch.tensor(SCORES), t=LABELS)
    assert y.tolist() == torch.tensor(SCORES).tolist()
    assert bias.tolist() == [0]


def test_the_bias_grows_from_pass_to_pass() -> None:
    it = subject(layer("bias_base: -0.5 bias_gamma: -0.1 bias_power: 2 bias_min: -0.8 bias_max: -0.6 iteration: 1"), x=(4, 3), t=LABELS)
    run = Run(TRAIN, CaffeRandom(1), inplace=False)
    found = [float(it.layer.forward(it.bottoms(), it.blobs(), run)[1]) for _ in range(4)]
    assert found == pytest.approx([max(-0.8, min(-0.6, -0.5 + (1 - 0.1 * i) ** 2 - 1)) for i in (1, 2, 3, 4)], rel=1e-5)
    assert found == pytest.approx([-0.69, -0.8, -0.8, -0.8])


def test_refusals() -> None:
    assert "label 3 found; needed: 0 to 2" in refusal(layer(), x=(1, 3), t=[3])
    assert "bottom 1 is (3,); needed: 2 labels" in refusal(layer(), x=(2, 3), t=[0, 1, 2])


def test_the_net_of_am_softmax_in_both_engines() -> None:
    text = """layer { name: "x" type: "Input" top: "x" input_param { shape { dim: 6 dim: 4 } } }
              layer { name: "t" type: "Input" top: "t" input_param { shape { dim: 6 } } }
              layer { name: "fc5" type: "InnerProduct" bottom: "x" top: "fc5"
                inner_product_param { num_output: 4 weight_filler { type: "xavier" } } }
              layer { name: "norm1" type: "Normalize" bottom: "fc5" top: "norm1" }
              layer { name: "fc6_l2" type: "InnerProduct" bottom: "norm1" top: "fc6"
                inner_product_param { num_output: 3 normalize: true bias_term: false weight_filler { type: "xavier" } } }
              layer { name: "l" type: "LabelSpecificAdd" bottom: "fc6" bottom: "t" top: "m" label_specific_add_param { bias: -0.35 } }
              layer { name: "scale" type: "Scale" bottom: "m" top: "s" param { lr_mult: 0 } scale_param { filler { value: 30 } } }
              layer { name: "loss" type: "SoftmaxWithLoss" bottom: "s" bottom: "t" top: "loss" }"""
    inputs = {"x": values((6, 4), 5), "t": torch.tensor([0.0, 2, 1, 2, 0, 1])}
    layerwise, whole = feed(built(text).layerwise, inputs), built(text).whole
    for _ in range(2):
        loss = float(layerwise.forward_backward())
        assert float(whole.forward_backward(inputs)) == pytest.approx(loss, rel=1e-5)
        for ours, theirs in zip(whole.gradients(), layerwise.gradients(), strict=True):
            torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-4)
    weight, bias, classes = (layerwise.arena.learnable[i].detach() for i in range(3))
    features = torch.nn.functional.normalize(inputs["x"] @ weight.t() + bias)
    scores = features @ torch.nn.functional.normalize(classes).t()
    rows, labels = torch.arange(6), inputs["t"].long()
    scores[rows, labels] -= 0.35 * (scores[rows, labels] > 0.35)
    assert loss == pytest.approx(float(torch.nn.functional.cross_entropy(30 * scores, labels)), rel=1e-4)
