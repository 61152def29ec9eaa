"""Clip."""

from __future__ import annotations

import math

from tests.layers.check import check_layer, gradients, tops


def layer(fields: str = "min: -0.5 max: 0.75", top: str = "y") -> str:
    return f'layer {{ name: "l" type: "Clip" bottom: "x" top: "{top}" clip_param {{ {fields} }} }}'


def test_layer() -> None:
    check_layer(layer(), x=(2, 3, 4))


def test_in_place_the_gradient_is_that_at_the_top() -> None:
    check_layer(layer(top="x"), no_gradcheck="Caffe has only the top left, which lies between the bounds", x=(2, 3))
    assert gradients(layer(top="x"), x=[-9, 0, 9])[0].tolist() == [1, 1, 1]


def test_the_gradient_passes_at_the_bounds() -> None:
    assert gradients(layer(), x=[-1, -0.5, 0, 0.75, 1])[0].tolist() == [0, 1, 1, 1, 0]


def test_min_above_max_gives_min() -> None:
    assert tops(layer("min: 2 max: 1"), x=[0, 1.5, 3])[0].tolist() == [2, 2, 2]


def test_nan_gives_min() -> None:
    assert tops(layer(), x=[math.nan, math.inf, -math.inf])[0].tolist() == [-0.5, 0.75, -0.5]


def test_without_clip_param_all_is_0() -> None:
    assert tops('layer { name: "l" type: "Clip" bottom: "x" top: "y" }', x=[-1, 2])[0].tolist() == [0, 0]
