"""SoftmaxWithLoss."""

from __future__ import annotations

import math

import pytest
import torch

from caffepy.errors import LayerError
from tests.layers.check import TEST, check_layer, gradients, refusal, subject, tops


def layer(fields: str = "", param: str = "", top: str = 'top: "y"') -> str:
    return f'layer {{ name: "l" type: "SoftmaxWithLoss" bottom: "s" bottom: "t" {top} {param} loss_param {{ {fields} }} }}'


MODES = ["", "normalization: FULL", "normalization: BATCH_SIZE", "normalization: NONE", "normalize: true", "normalize: false"]


@pytest.mark.parametrize("ignore", ["", "ignore_label: 1", "ignore_label: 255"])
@pytest.mark.parametrize("fields", MODES)
def test_layer(fields: str, ignore: str) -> None:
    labels = torch.tensor([[0, 1], [2, 255 if "255" in ignore else 2]])
    check_layer(layer(f"{fields} {ignore}"), s=(2, 3, 2), t=labels)


@pytest.mark.parametrize("axis", [0, -1])
def test_axis(axis: int) -> None:
    check_layer(layer(param=f"softmax_param {{ axis: {axis} }}"), s=(2, 3, 2), t=torch.arange(6).remainder(2).reshape(2, 3))


@pytest.mark.parametrize(
    ("fields", "divisor"),
    [("", 3), ("normalization: FULL", 4), ("normalization: BATCH_SIZE", 2), ("normalize: false", 2), ("normalization: NONE", 1)],
)
def test_divisor(fields: str, divisor: int) -> None:
    t = torch.tensor([[0, 1], [9, 2]])
    assert tops(layer(f"{fields} ignore_label: 9"), s=torch.zeros(2, 3, 2), t=t)[0] == pytest.approx(3 * math.log(3) / divisor)


def test_probabilities_count_as_no_less_than_flt_min_but_keep_their_gradient() -> None:
    scores = [[0.0, 200]]
    assert tops(layer(), s=scores, t=[0])[0] == pytest.approx(87.3365, abs=1e-4)
    assert gradients(layer(), s=scores, t=[0])[0].tolist() == [[-1, 1]]


def test_no_label_left_gives_0() -> None:
    assert tops(layer("ignore_label: 1"), s=(2, 3), t=[1, 1])[0] == 0
    assert gradients(layer("ignore_label: 1"), s=(2, 3), t=[1, 1])[0].abs().sum() == 0


def test_labels_are_truncated() -> None:
    scores = torch.randn(2, 3)
    assert tops(layer(), s=scores, t=[1.9, 0.2])[0] == tops(layer(), s=scores, t=[1, 0])[0]


WEIGHTS = "weight_by_label_freqs: true class_weighting: 0.5 class_weighting: 2 class_weighting: 1"


def test_class_weights_do_not_enter_the_divisor() -> None:
    check_layer(layer(f"{WEIGHTS} ignore_label: 2"), s=(4, 3), t=[0, 1, 2, 1])
    assert tops(layer(WEIGHTS), s=torch.zeros(2, 3), t=[0, 1])[0] == pytest.approx(2.5 * math.log(3) / 2)


def test_a_fixed_normalizer() -> None:
    assert tops(layer("normalization: PRE_FIXED pre_fixed_normalizer: 7"), s=torch.zeros(2, 3), t=[0, 1])[0] == pytest.approx(
        2 * math.log(3) / 7
    )


@pytest.mark.parametrize("fields", ["", WEIGHTS])
def test_nan_where_the_label_is_ignored_does_not_matter(fields: str) -> None:
    s = torch.zeros(2, 3)
    s[1, 0] = math.nan
    assert tops(layer(f"{fields} ignore_label: 2"), s=s, t=[0, 2])[0] == pytest.approx((0.5 if fields else 1) * math.log(3))
    assert gradients(layer(f"{fields} ignore_label: 2"), s=s, t=[0, 2])[0][1].tolist() == [0, 0, 0]


def test_an_unnamed_top_is_a_loss_too() -> None:
    check_layer(layer(top=""), s=(2, 3), t=[0, 1])


def test_refusals() -> None:
    for label in (3, -1, math.nan):
        assert f"label {label} found; needed: 0 to 2" in refusal(layer(), s=(2, 3), t=[0, label])
    assert "needed: 0 to 2; loss_param { ignore_label: 3 } leaves it out" in refusal(layer(), s=(2, 3), t=[0, 3])
    assert "label 255 found" in refusal(layer("ignore_label: 1"), s=(2, 3), t=[0, 255])
    assert "bottom 1 has 2 labels; needed: 4" in refusal(layer(), s=(2, 3, 2), t=(2,))
    assert "class_weighting is given 3 times; needed: 4 times" in refusal(layer(WEIGHTS), s=(2, 4), t=[0, 1])
    assert "takes 1 top blob(s), 2 given" in refusal(layer(top='top: "y" top: "p"'), s=(2, 3), t=(2,))


@pytest.mark.parametrize("fields", MODES)
def test_without_a_gradient_the_loss_is_the_same(fields: str) -> None:
    scores = torch.randn(5, 7, generator=torch.Generator().manual_seed(3)) * 4
    for s in (scores, scores * 100):  # whose probabilities are clamped
        it = subject(layer(fields), phase=TEST, s=s, t=[0, 6, 3, 3, 1])
        assert float(it.prepared()[0]) == pytest.approx(float(it.forward()[0]), rel=1e-6)


@pytest.mark.parametrize("label", [-1, 7, -100, -1e30])
def test_labels_beyond_the_classes_without_a_gradient(label: float) -> None:
    it = subject(layer(), phase=TEST, s=(2, 7), t=[0, label])
    with pytest.raises(LayerError, match="found; needed: 0 to 6"):
        it.prepared()
