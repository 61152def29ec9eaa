"""Tile."""

from __future__ import annotations

import pytest

from tests.layers.check import check_layer, gradients, refusal, tops


def layer(fields: str) -> str:
    return f'layer {{ name: "l" type: "Tile" bottom: "x" top: "y" tile_param {{ {fields} }} }}'


@pytest.mark.parametrize("fields", ["tiles: 3", "tiles: 2 axis: 0", "tiles: 2 axis: -1", "tiles: 1"])
def test_layer(fields: str) -> None:
    check_layer(layer(fields), x=(2, 3, 4))


def test_values() -> None:
    assert tops(layer("tiles: 2 axis: 0"), x=[1, 2])[0].tolist() == [1, 2, 1, 2]
    assert gradients(layer("tiles: 2 axis: 0"), [1, 2, 4, 8], x=[1, 2])[0].tolist() == [5, 10]


def test_refusals() -> None:
    assert "tiles is not given" in refusal(layer(""), x=(2, 3))
    assert "tiles is 0" in refusal(layer("tiles: 0"), x=(2, 3))
