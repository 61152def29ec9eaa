"""ReLU."""

from __future__ import annotations

import math

import pytest
import torch

from tests.layers.check import check_layer, gradients, subject, tops


def layer(slope: float = 0, top: str = "y") -> str:
    return f'layer {{ name: "l" type: "ReLU" bottom: "x" top: "{top}" relu_param {{ negative_slope: {slope} }} }}'


@pytest.mark.parametrize("top", ["x", "y"])
@pytest.mark.parametrize("slope", [0, 0.1, -0.2])
def test_layer(slope: float, top: str) -> None:
    check_layer(layer(slope, top), no_gradcheck="the gradient at the top" if top == "x" and slope < 0 else "", x=(2, 3, 4))


def test_in_place_the_gradient_is_that_at_the_top() -> None:
    assert gradients(layer(-0.5, "x"), x=[-1, 0, 1])[0].tolist() == [1, -0.5, 1]
    assert gradients(layer(-0.5), x=[-1, 0, 1])[0].tolist() == [-0.5, -0.5, 1]


def test_infinities_and_nan() -> None:
    assert str(tops(layer(), x=[-math.inf, math.inf, math.nan])[0].tolist()) == "[nan, inf, nan]"
    assert tops(layer(0.5), x=[-math.inf])[0].tolist() == [-math.inf]


def test_negative_values_become_0_not_minus_0() -> None:
    assert not tops(layer(), x=[-1, -2])[0].signbit().any()


def test_gradients_at_0_and_nan() -> None:
    assert gradients(layer(0.5), x=[-1, 0, 1, math.nan])[0].tolist() == [0.5, 0.5, 1, 0.5]
    assert gradients(layer(), x=[0, math.nan])[0].tolist() == [0, 0]


@pytest.mark.parametrize(("slope", "same"), [(0, True), (0.1, True), (-0.1, False)])
def test_it_works_in_place_unless_the_top_hides_the_sign(slope: float, same: bool) -> None:
    it = subject(layer(slope), x=(2, 3))
    (x,) = it.bottoms()
    (y,) = it.layer.forward([x], [], it.run(inplace=True))
    assert (y.data_ptr() == x.data_ptr()) is same
    assert torch.equal(y, it.forward()[0])
