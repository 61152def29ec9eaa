"""Threshold."""

from __future__ import annotations

import math

from tests.layers.check import check_layer, tops


def layer(threshold: float = 0) -> str:
    return f'layer {{ name: "l" type: "Threshold" bottom: "x" top: "y" threshold_param {{ threshold: {threshold} }} }}'


def test_layer() -> None:
    check_layer(layer(), x=(2, 3, 4))


def test_values() -> None:
    assert tops(layer(0.5), x=[-1, 0.5, 0.6, math.nan])[0].tolist() == [0, 0, 1, 0]
