"""Flatten."""

from __future__ import annotations

import pytest

from tests.layers.check import check_layer, refusal


def layer(fields: str = "", top: str = "y") -> str:
    return f'layer {{ name: "l" type: "Flatten" bottom: "x" top: "{top}" flatten_param {{ {fields} }} }}'


@pytest.mark.parametrize(
    ("fields", "shape"),
    [
        ("", (2, 60)),
        ("axis: 0", (120,)),
        ("axis: 2", (2, 3, 20)),
        ("end_axis: 2", (2, 12, 5)),
        ("axis: -3 end_axis: -2", (2, 12, 5)),
        ("axis: 3", (2, 3, 4, 5)),
    ],
)
def test_layer(fields: str, shape: tuple[int, ...]) -> None:
    it = check_layer(layer(fields), x=(2, 3, 4, 5))
    assert it.forward()[0].shape == shape


def test_the_top_shares_the_bottoms_memory() -> None:
    it = check_layer(layer(), x=(2, 3, 4))
    (x,) = it.bottoms()
    assert it.layer.forward([x], [], it.run())[0].data_ptr() == x.data_ptr()


def test_refusals() -> None:
    assert "end_axis is 1 and axis 3" in refusal(layer("axis: 3 end_axis: 1"), x=(2, 3, 4, 5))
    assert "end_axis is 4" in refusal(layer("end_axis: 4"), x=(2, 3, 4, 5))
    assert "cannot work in place" in refusal(layer(top="x"), x=(2, 3))
