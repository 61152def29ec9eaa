"""ContrastiveLoss."""

from __future__ import annotations

import math

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops


def layer(fields: str = "") -> str:
    return f"""layer {{ name: "l" type: "ContrastiveLoss" bottom: "a" bottom: "b" bottom: "t" top: "y"
                       contrastive_loss_param {{ {fields} }} }}"""


@pytest.mark.parametrize("fields", ["margin: 3 legacy_version: true", "legacy_version: true"])
def test_layer(fields: str) -> None:
    check_layer(layer(fields), a=(4, 3), b=(4, 3), t=[1, 0, 1, 0])


@pytest.mark.parametrize("fields", ["", "margin: 5"])
def test_layer_where_caffe_divides_by_a_little_more_than_the_distance(fields: str) -> None:
    check_layer(layer(fields), no_gradcheck="1e-4 is added to the distance in the gradient", a=(4, 3, 1, 1), b=(4, 3, 1, 1), t=(4, 1, 1, 1))


def test_alike_pairs_alone_have_the_exact_gradient() -> None:
    check_layer(layer(), a=(4, 3), b=(4, 3), t=[1, 1, -1, 2])


def test_loss() -> None:
    a, b = torch.tensor([[3.0, 4], [0.5, 0]]), torch.zeros(2, 2)
    assert tops(layer(), a=a, b=b, t=[1, 0])[0] == pytest.approx((25 + 0.5**2) / 4)
    assert tops(layer("legacy_version: true"), a=a, b=b, t=[1, 0])[0] == pytest.approx((25 + 0.75) / 4)


def test_labels_without_an_axis_and_too_many_do() -> None:
    a, b = torch.tensor([[3.0, 4]]), torch.zeros(1, 2)
    assert tops(layer(), a=a, b=b, t=torch.tensor(1.0))[0] == 12.5
    assert tops(layer(), a=a, b=b, t=[1, 0, 0])[0] == 12.5


def test_no_gradient_at_distance_0_and_beyond_the_margin() -> None:
    zero, far = torch.zeros(1, 2), torch.full((1, 2), 9.0)
    assert gradients(layer(), a=zero, b=zero, t=[0])[0].tolist() == [[0, 0]]
    assert gradients(layer(), a=far, b=zero, t=[0])[0].tolist() == [[0, 0]]


@pytest.mark.parametrize("fields", ["", "legacy_version: true"])
def test_a_distance_that_is_no_number_gives_unlike_pairs_no_gradient(fields: str) -> None:
    a, zero = torch.tensor([[math.nan, 0], [math.inf, 0], [math.nan, 0]]), torch.zeros(3, 2)
    found = gradients(layer(fields), a=a, b=zero, t=[0, 0, 1])
    assert [[g[:2].tolist(), math.isnan(g[2, 0])] for g in found] == [[[[0, 0], [0, 0]], True]] * 2


def test_refusals() -> None:
    assert "needed: (N, C, 1, 1)" in refusal(layer(), a=(2, 3, 2), b=(2, 3, 2), t=(2,))
    assert "needed: (N, C) twice and (N,)" in refusal(layer(), a=(2, 3), b=(2, 4), t=(2,))
    assert "needed: (N, 1, 1, 1)" in refusal(layer(), a=(2, 3), b=(2, 3), t=(2, 2))
    assert "needed: (N, C) twice and (N,)" in refusal(layer(), a=(2, 3), b=(2, 3), t=())
