"""Swish."""

from __future__ import annotations

import math

import pytest

from tests.layers.check import check_layer, tops


def layer(beta: float = 1, top: str = "y") -> str:
    return f'layer {{ name: "l" type: "Swish" bottom: "x" top: "{top}" swish_param {{ beta: {beta} }} }}'


@pytest.mark.parametrize("top", ["x", "y"])
@pytest.mark.parametrize("beta", [1, 2.5, -1, 0])
def test_layer(beta: float, top: str) -> None:
    check_layer(layer(beta, top), x=(2, 3, 4))


def test_values() -> None:
    assert tops(layer(2), x=[-1, 0, 3])[0].tolist() == pytest.approx([-1 / (1 + math.exp(2)), 0, 3 / (1 + math.exp(-6))])
