"""SmoothL1Loss."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops


def layer(sigma: float = 1, bottoms: str = "ab", *, weight: str = "loss_weight: 1") -> str:
    names = " ".join(f'bottom: "{name}"' for name in bottoms)
    return f'layer {{ name: "l" type: "SmoothL1Loss" {names} top: "y" {weight} smooth_l1_loss_param {{ sigma: {sigma} }} }}'


@pytest.mark.parametrize("sigma", [1, 2, 0.5])
def test_layer(sigma: float) -> None:
    check_layer(layer(sigma), a=(4, 3), b=(4, 3))


def test_weights() -> None:
    check_layer(layer(2, "abio"), a=(4, 3, 2), b=(4, 3, 2), i=(4, 3, 2), o=(4, 3, 2))


def test_one_weight() -> None:
    weights = torch.tensor([[1.0, 0, 1], [0, 1, 1]])
    check_layer(layer(2, "abw"), a=(2, 3), b=(2, 3), w=weights)
    check_layer(layer(2, "abw"), no_gradcheck="a gradient lacks the weight", a=(2, 3), b=(2, 3), w=(2, 3))
    a, b = torch.tensor([[0.25, 3, 2]]), torch.zeros(1, 3)
    assert tops(layer(1, "abw"), a=a, b=b, w=[[2, 2, 0]])[0] == 0.125 + 5.5
    da, db = gradients(layer(1, "abw"), a=a, b=b, w=[[2, 2, 0]])[:2]
    assert da.tolist() == [[0.5, 1, 0]]
    assert torch.equal(db, -da)


def test_values() -> None:
    assert tops(layer(), a=[[0.5, 3], [0, -1]], b=torch.zeros(2, 2))[0] == (0.125 + 2.5 + 0.5) / 2
    assert tops(layer(2), a=[[0.125, 3]], b=torch.zeros(1, 2))[0] == 2 * 0.125**2 + 3 - 0.125


@pytest.mark.parametrize(("sigma", "loss"), [(0, 0), (1e-30, 0), (1e30, 3.5)])
def test_a_sigma_beyond_all_floats(sigma: float, loss: float) -> None:
    differences = [[0.5, -3, 0]]
    check_layer(layer(sigma), no_gradcheck="steps at 0", a=differences, b=torch.zeros(1, 3))
    assert tops(layer(sigma), a=differences, b=torch.zeros(1, 3))[0] == loss
    assert gradients(layer(sigma), a=differences, b=torch.zeros(1, 3))[0].tolist() == [[bool(loss), -bool(loss), 0]]


def test_axes_of_1_at_the_end_do_not_matter() -> None:
    plain = tops(layer(2, "abio"), a=(4, 3), b=(4, 3), i=(4, 3), o=(4, 3))
    assert torch.equal(tops(layer(2, "abio"), a=(4, 3), b=(4, 3, 1, 1), i=(4, 3, 1), o=(4, 3, 1, 1))[0], plain[0])


def test_refusals() -> None:
    assert "bottom 2 is (2, 2)" in refusal(layer(1, "abi"), a=(2, 3), b=(2, 3), i=(2, 2))
    assert "equal shapes" in refusal(layer(), a=(2, 3), b=(2, 2))
