"""SmoothL1LossOHEM."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops


def layer(fields: str = "", bottoms: str = "ab", second: str = "") -> str:
    names = " ".join(f'bottom: "{name}"' for name in bottoms)
    return f'layer {{ name: "l" type: "SmoothL1LossOHEM" {names} top: "y" {second} loss_param {{ {fields} }} }}'


TWO = 'top: "e" loss_weight: 1 loss_weight: 0'


@pytest.mark.parametrize(
    "fields", ["", "normalization: BATCH_SIZE", "normalization: NONE", "normalization: PRE_FIXED pre_fixed_normalizer: 7"]
)
@pytest.mark.parametrize("second", ["", TWO])
def test_layer(fields: str, second: str) -> None:
    check_layer(layer(fields, second=second), a=(3, 4, 2, 1), b=(3, 4, 2, 1))


def test_weights_of_0_and_1_have_the_gradient_of_the_kept_ones_only() -> None:
    weights = torch.tensor([[1.0, 0], [0, 1]])
    dx, _ = gradients(layer(bottoms="abw"), a=[[0.5, 9], [9, -3]], b=torch.zeros(2, 2), w=weights)
    assert dx.tolist() == [[0.25, 0], [0, -0.5]]


@pytest.mark.parametrize(
    ("fields", "divisor"),
    [("", 4), ("normalization: BATCH_SIZE", 2), ("normalization: NONE", 1), ("normalization: PRE_FIXED pre_fixed_normalizer: 7", 7)],
)
def test_divisor(fields: str, divisor: int) -> None:
    loss, each = tops(layer(fields, second=TWO), a=torch.full((2, 3, 2, 1), 1.5), b=torch.zeros(2, 3, 2, 1))
    assert loss == pytest.approx(12 / divisor)
    assert each.shape == (2, 1, 2, 1)
    assert each.flatten().tolist() == [3, 3, 3, 3]


def test_refusals() -> None:
    assert "equal shapes" in refusal(layer(), a=(2, 3), b=(2, 2))
    assert "bottom 0 has 1 axis" in refusal(layer(), a=(2,), b=(2,))
