"""PReLU."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.layers.check import check_layer, gradients, refusal, subject, tops


def layer(fields: str = "", top: str = "y") -> str:
    return f'layer {{ name: "l" type: "PReLU" bottom: "x" top: "{top}" prelu_param {{ {fields} }} }}'


@pytest.mark.parametrize("top", ["x", "y"])
@pytest.mark.parametrize("fields", ["", "channel_shared: true", 'filler { type: "gaussian" }'])
@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (2, 3, 2, 2)])
def test_layer(shape: tuple[int, ...], fields: str, top: str) -> None:
    check_layer(layer(fields, top), x=shape)


@pytest.mark.parametrize("fields", ["", "channel_shared: true"])
def test_volumes(fields: str) -> None:
    check_layer(layer(fields).replace("prelu_param", "any_axes: true prelu_param"), x=(2, 3, 2, 2, 3))


def test_slopes_are_a_quarter_at_first() -> None:
    assert tops(layer(), x=[[-4, 0, 4]])[0].tolist() == [[-1, 0, 4]]
    assert subject(layer("channel_shared: true"), x=(2, 3)).layer.blobs[0].shape == ()


def test_gradients_at_0_and_nan() -> None:
    """At NaN Caffe's is 0."""
    assert gradients(layer(), x=[[0, math.nan]])[0].tolist() == [[0.25, 0.25]]
    dx, slope = gradients(layer("channel_shared: true"), x=[[-4, 0, 4]])
    assert dx.tolist() == [[0.25, 0.25, 1]]
    assert slope == -4


@pytest.mark.parametrize("slope", [0, -0.5])
def test_zeros_are_plain(slope: float) -> None:
    """As max(x, 0) + slope * min(x, 0) gives them, unless nobody can tell: see ReLU's."""
    it = subject(layer(f"filler {{ value: {slope} }}"), x=[[0, 1, -2 * (slope == 0)]])
    for bottom in (it.bottoms()[0], it.bottoms()[0].requires_grad_() * 1):
        (y,) = it.layer.forward([bottom], it.blobs(), it.run())
        assert not y.signbit().any()
        (y,) = it.layer.forward([bottom], it.blobs(), replace(it.run(), only_summed=True))
        assert y.tolist() == [[0, 1, 0]]


def test_refusals() -> None:
    assert "bottom has 5 axes; needed: 2 to 4" in refusal(layer(), x=(1, 1, 1, 1, 1))
    assert "bottom has 1 axes" in refusal(layer(), x=(3,))
