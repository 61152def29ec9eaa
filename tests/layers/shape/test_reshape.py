"""Reshape."""

from __future__ import annotations

import pytest

from tests.layers.check import check_layer, refusal


def layer(shape: str, fields: str = "", top: str = "y") -> str:
    return f'layer {{ name: "l" type: "Reshape" bottom: "x" top: "{top}" reshape_param {{ shape {{ {shape} }} {fields} }} }}'


@pytest.mark.parametrize(
    ("shape", "fields", "top"),
    [
        ("dim: 6 dim: 4", "", (6, 4)),
        ("dim: 0 dim: -1", "", (2, 12)),
        ("dim: -1 dim: 0", "", (8, 3)),
        ("dim: 12", "axis: 1", (2, 12)),
        ("dim: 2 dim: 2", "axis: -2 num_axes: 1", (2, 3, 2, 2)),
        ("dim: 1", "axis: -1 num_axes: 0", (2, 3, 4, 1)),
        ("dim: 1", "num_axes: 0", (1, 2, 3, 4)),
        ("dim: -1", "", (24,)),
        ("dim: 3", "axis: 1 num_axes: 1", (2, 3, 4)),
    ],
)
def test_layer(shape: str, fields: str, top: tuple[int, ...]) -> None:
    it = check_layer(layer(shape, fields), x=(2, 3, 4))
    assert it.forward()[0].shape == top


def test_the_top_shares_the_bottoms_memory() -> None:
    it = check_layer(layer("dim: -1"), x=(2, 3))
    (x,) = it.bottoms()
    assert it.layer.forward([x], [], it.run())[0].data_ptr() == x.data_ptr()


@pytest.mark.parametrize(
    ("shape", "fields", "message"),
    [
        ("dim: 5", "", "has 5 elements and bottom (2, 3, 4) 24"),
        ("dim: 7 dim: -1", "", "which 7, the product of the other dims, does not divide"),
        ("dim: -1 dim: -1", "", "-1 at most once"),
        ("dim: -2", "", "dims of 0 or more"),
        ("dim: 1", "axis: 4", "axis is 4 for a 3-axis blob; needed: -4 to 3"),
        ("dim: 1", "axis: 2 num_axes: 2", "num_axes is 2 from axis 2 on"),
        ("dim: 2 dim: 3 dim: 4 dim: 0", "", "dim 3 of shape is 0, which copies axis 3 of a 3-axis blob"),
        ("dim: 0", "axis: 3 num_axes: 0", "copies axis 3"),
    ],
)
def test_refusals(shape: str, fields: str, message: str) -> None:
    assert message in refusal(layer(shape, fields), x=(2, 3, 4))


def test_it_cannot_work_in_place() -> None:
    assert "cannot work in place" in refusal(layer("dim: -1", top="x"), x=(2, 3))
