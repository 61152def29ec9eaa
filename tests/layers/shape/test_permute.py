"""Permute."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, refusal


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "Permute" bottom: "x" top: "y" permute_param {{ {fields} }} }}'


@pytest.mark.parametrize(
    ("fields", "order"),
    [
        ("", [0, 1, 2, 3]),
        ("order: 0 order: 2 order: 3 order: 1", [0, 2, 3, 1]),
        ("order: 2", [2, 0, 1, 3]),
        ("order: [3, 1]", [3, 1, 0, 2]),
    ],
)
def test_layer(fields: str, order: list[int]) -> None:
    it = check_layer(layer(fields), x=(2, 3, 4, 5))
    assert torch.equal(it.forward()[0], it.bottoms()[0].permute(order))


def test_refusals() -> None:
    assert "order is [7]; needed: some of the axes 0 to 3" in refusal(layer("order: 7"), x=(1, 1, 1, 1))
    assert "order is [0, 0]" in refusal(layer("order: 0 order: 0"), x=(1, 1, 1, 1))
