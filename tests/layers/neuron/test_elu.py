"""ELU."""

from __future__ import annotations

import math

import pytest
import torch

from tests.layers.check import check_layer, gradients, subject, tops


def layer(alpha: float = 1, top: str = "y") -> str:
    return f'layer {{ name: "l" type: "ELU" bottom: "x" top: "{top}" elu_param {{ alpha: {alpha} }} }}'


@pytest.mark.parametrize(("alpha", "top"), [(1, "x"), (0.3, "x"), (0, "x"), (1, "y"), (0.3, "y"), (0, "y"), (-0.5, "y")])
def test_layer(alpha: float, top: str) -> None:
    check_layer(layer(alpha, top), x=(2, 3, 4))


def test_in_place_with_negative_alpha_the_gradient_follows_the_sign_of_the_top() -> None:
    check_layer(layer(-0.5, "x"), no_gradcheck="Caffe has only the top left", x=(2, 3, 4))
    assert gradients(layer(-0.5, "x"), [7, 7], x=[-2, 3])[0].tolist() == [7, 7]
    assert gradients(layer(-0.5), [7, 7], x=[-2, 3])[0].tolist() == pytest.approx([7 * -0.5 * math.exp(-2), 7])


@pytest.mark.parametrize("top", ["x", "y"])
def test_gradient_at_numbers_that_are_none(top: str) -> None:
    found = gradients(layer(top=top), x=[math.nan, math.inf, -math.inf, 1])[0].tolist()
    assert [math.isnan(n) for n in found] == [True, True, False, False]
    assert found[2:] == [0, 1]


@pytest.mark.parametrize("fields", ["alpha: 1", "alpha: 0", "alpha: 1 lambda: 2"])
@pytest.mark.parametrize("learned", [False, True])
def test_zeros_are_plain(fields: str, learned: bool) -> None:
    """max(x, 0) + alpha * (exp(min(x, 0)) - 1) is 0 for -0 too, and with alpha 0 for all below."""
    it = subject(layer().replace("alpha: 1", fields), x=[0, -0.0] + [-1] * ("alpha: 0" in fields))
    for inplace in (False, True):
        (y,) = it.layer.forward([it.bottoms()[0].requires_grad_(learned) * 1], [], it.run(inplace=inplace))
        assert torch.equal(1 / y, torch.full_like(y, math.inf))


def test_values() -> None:
    assert tops(layer(2), x=[-1, 0, 3])[0].tolist() == pytest.approx([2 * (math.exp(-1) - 1), 0, 3])


SCALED = layer().replace("alpha: 1 ", "alpha: 0.5 lambda: 2 ")


@pytest.mark.parametrize("text", [SCALED, SCALED.replace('top: "y"', 'top: "x"')])
def test_scaled(text: str) -> None:
    """NVCaffe's gradient below 0, lambda * (alpha + top), is not that of its values."""
    check_layer(text, no_gradcheck="the gradient is NVCaffe's", x=(2, 3, 4))
    below = 2 * 0.5 * (math.exp(-1) - 1)
    assert tops(text, x=[-1, 0, 3])[0].tolist() == pytest.approx([below, 0, 6])
    assert gradients(text, [7, 7, 7], x=[-1, 0, 3])[0].tolist() == pytest.approx([7 * 2 * (0.5 + below), 7 * 2 * 0.5, 14])
