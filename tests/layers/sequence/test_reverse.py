"""Reverse."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, refusal


@pytest.mark.parametrize(("fields", "axes"), [("", [0]), ("axis: 1", [1]), ("axis: -1", [2]), ("axis: [0, 2]", [0, 2])])
def test_layer(fields: str, axes: list[int]) -> None:
    it = check_layer(f'layer {{ name: "l" type: "Reverse" bottom: "x" top: "y" reverse_param {{ {fields} }} }}', x=(3, 2, 4))
    assert torch.equal(it.forward()[0], it.bottoms()[0].flip(axes))


def test_refusals() -> None:
    assert "axis is 3" in refusal('layer { name: "l" type: "Reverse" bottom: "x" top: "y" reverse_param { axis: 3 } }', x=(3, 2, 4))
    assert "this type cannot work in place" in refusal(
        'layer { name: "l" type: "Reverse" bottom: "x" top: "x" reverse_param { axis: 1 } }', x=(1, 4, 2, 2)
    )
