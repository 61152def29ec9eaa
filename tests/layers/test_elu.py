"""ELU."""

from __future__ import annotations

import math

import pytest

from tests.layers.check import check_layer, tops


def layer(alpha: float = 1, top: str = "y") -> str:
    return f'layer {{ name: "l" type: "ELU" bottom: "x" top: "{top}" elu_param {{ alpha: {alpha} }} }}'


@pytest.mark.parametrize("top", ["x", "y"])
@pytest.mark.parametrize("alpha", [1, 0.3, 0, -0.5])
def test_layer(alpha: float, top: str) -> None:
    check_layer(layer(alpha, top), x=(2, 3, 4))


def test_values() -> None:
    assert tops(layer(2), x=[-1, 0, 3])[0].tolist() == pytest.approx([2 * (math.exp(-1) - 1), 0, 3])
