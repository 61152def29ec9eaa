"""Softmax."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str = "", top: str = "y") -> str:
    return f'layer {{ name: "l" type: "Softmax" bottom: "x" top: "{top}" softmax_param {{ {fields} }} }}'


@pytest.mark.parametrize("top", ["x", "y"])
@pytest.mark.parametrize("fields", ["", "axis: 0", "axis: -1"])
def test_layer(fields: str, top: str) -> None:
    check_layer(layer(fields, top), x=(2, 3, 4))


def test_large_values_do_not_overflow() -> None:
    torch.testing.assert_close(tops(layer(), x=[[1000, 1000, -1000]])[0], torch.tensor([[0.5, 0.5, 0]]))


def test_refusals() -> None:
    assert "axis is 2" in refusal(layer("axis: 2"), x=(2, 3))
    assert "axis is 1" in refusal(layer(), x=(3,))
