"""Log."""

from __future__ import annotations

import math

import pytest
import torch

from tests.layers.check import check_layer, refusal, tops

POSITIVE = torch.rand(2, 3, 4) + 0.1


def layer(fields: str = "", top: str = "y") -> str:
    return f'layer {{ name: "l" type: "Log" bottom: "x" top: "{top}" log_param {{ {fields} }} }}'


@pytest.mark.parametrize("fields", ["", "base: 2", "base: 10 scale: 3 shift: 0.5"])
def test_layer(fields: str) -> None:
    check_layer(layer(fields), x=POSITIVE)


def test_in_place_has_caffes_gradient() -> None:
    check_layer(layer("base: 2", "x"), no_gradcheck="the square of the derivative at the top", x=POSITIVE)


def test_values() -> None:
    assert tops(layer("base: 2 scale: 2 shift: 2"), x=[1, 7, -1])[0].tolist() == [2, 4, -math.inf]


def test_refusals() -> None:
    assert "base is 1, whose logarithm is 0" in refusal(layer("base: 1"), x=(2,))
    assert "base is 0" in refusal(layer("base: 0"), x=(2,))
