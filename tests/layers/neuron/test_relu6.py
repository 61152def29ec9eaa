"""ReLU6."""

from __future__ import annotations

import pytest

from tests.layers.check import check_layer, gradients, refusal, tops, values


def layer(slope: float = 0, top: str = "y") -> str:
    return f'layer {{ name: "l" type: "ReLU6" bottom: "x" top: "{top}" relu6_param {{ negative_slope: {slope} }} }}'


@pytest.mark.parametrize("top", ["x", "y"])
@pytest.mark.parametrize("slope", [0, 0.1])
def test_layer(slope: float, top: str) -> None:
    check_layer(layer(slope, top), x=5 * values((2, 3, 4)))


def test_values() -> None:
    assert tops(layer(0.5), x=[-4, 0, 3, 6, 9])[0].tolist() == [-2, 0, 3, 6, 6]
    assert gradients(layer(0.5), x=[-4, 0, 3, 6, 9])[0].tolist() == [0.5, 0.5, 1, 0, 0]
    assert gradients(layer(), x=[0])[0].tolist() == [0]


def test_refusals() -> None:
    assert "negative_slope is -0.1" in refusal(layer(-0.1), x=(2,))


def test_zeros_are_plain() -> None:
    text = 'layer { name: "l" type: "ReLU6" bottom: "x" top: "y" }'
    assert not tops(text, x=[-1, 0, 7])[0].signbit().any()
