"""MVN."""

from __future__ import annotations

import math

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "MVN" bottom: "x" top: "y" mvn_param {{ {fields} }} }}'


@pytest.mark.parametrize("shape", [(2, 3, 2, 2), (2, 3, 4), (2, 3)])
def test_means_alone(shape: tuple[int, ...]) -> None:
    check_layer(layer("normalize_variance: false"), x=shape)


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 3), (2,), ()])
def test_the_top_has_4_axes(shape: tuple[int, ...]) -> None:
    it = check_layer(layer("across_channels: true"), x=shape, no_gradcheck="" if len(shape) > 1 else "a deviation of 0")
    assert it.graph.values[-1].shape == (*shape, 1, 1, 1, 1)[:4]


IN_PLACE = 'layer { name: "l" type: "MVN" bottom: "x" top: "x" mvn_param { %s } }'


def test_in_place_the_axes_stay_as_they_are() -> None:
    assert check_layer(IN_PLACE % "normalize_variance: false", x=(2, 3, 4)).graph.values[-1].shape == (2, 3, 4)


def test_in_place_has_caffes_gradient() -> None:
    check_layer(IN_PLACE % "", no_gradcheck="what is left of it once it is overwritten", x=(2, 3, 4))
    x = torch.tensor([[[[1.0, 3, 5]]]])
    y = (x - 3) / math.sqrt(8 / 3)
    (dx,) = gradients(IN_PLACE % "", x=x, top_diff=[1, 2, 4])
    torch.testing.assert_close(dx, -2 * y * (y[..., 2] * (4 - 1) / 3) / math.sqrt(8 / 3))


@pytest.mark.parametrize("fields", ["", "across_channels: true"])
def test_with_a_small_eps_the_gradient_is_exact(fields: str) -> None:
    check_layer(layer(fields), x=(2, 3, 3, 2))


def test_layer_with_a_large_eps() -> None:
    check_layer(layer("eps: 0.5"), no_gradcheck="Caffe takes eps for part of the deviation throughout the gradient", x=(2, 3, 3, 2))


def test_eps_is_added_to_the_deviation() -> None:
    x = torch.tensor([[[[1.0, 3]]]])
    assert tops(layer("eps: 1"), x=x)[0].flatten().tolist() == [-0.5, 0.5]


def test_a_constant_channel_gives_0() -> None:
    assert tops(layer(), x=torch.full((1, 1, 2, 2), 4.0))[0].flatten().tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("fields", ["", "normalize_variance: false"])
def test_a_channel_of_minus_0_gives_0(fields: str) -> None:
    assert (1 / tops(layer(fields), x=-torch.zeros(1, 1, 2, 2))[0]).flatten().tolist() == [math.inf] * 4


def test_refusals() -> None:
    assert "bottom has 5 axes; needed: at most 4" in refusal(layer(), x=(1, 1, 1, 1, 2))
