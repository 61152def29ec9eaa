"""Crop."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "Crop" bottom: "x" bottom: "r" top: "y" crop_param {{ {fields} }} }}'


@pytest.mark.parametrize("fields", ["", "offset: 1", "offset: 1 offset: 2", "axis: 1 offset: 1", "axis: -1 offset: 2"])
def test_layer(fields: str) -> None:
    check_layer(layer(fields), x=(2, 3, 4, 5), r=(9, 2, 3, 3))


def test_only_dims_from_axis_on_are_taken() -> None:
    x = torch.arange(24.0).reshape(1, 2, 3, 4)
    (y,) = tops(layer("axis: 2 offset: 1 offset: 2"), x=x, r=(7, 7, 2, 2))
    assert torch.equal(y, x[:, :, 1:3, 2:4])


def test_refusals() -> None:
    assert "axis 2 of bottom 0 has 3 elements, of which 3 from offset 1 on are asked for" in refusal(
        layer("offset: 1"), x=(1, 1, 3, 3), r=(1, 1, 3, 2)
    )
    assert "offset is given 3 times" in refusal(layer("offset: 0 offset: 0 offset: 0"), x=(1, 1, 3, 3), r=(1, 1, 3, 2))
    assert "bottom 1 has 2 axes; needed: 4" in refusal(layer(), x=(1, 1, 3, 3), r=(3, 2))
