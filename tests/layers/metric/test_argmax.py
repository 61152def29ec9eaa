"""ArgMax."""

from __future__ import annotations

import math

import pytest
import torch

from caffepy.errors import LayerError
from tests.layers.check import check_layer, refusal, subject, tops


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "ArgMax" bottom: "x" top: "y" argmax_param {{ {fields} }} }}'


@pytest.mark.parametrize(
    "fields", ["", "top_k: 3", "out_max_val: true top_k: 2", "axis: 1", "axis: -1 top_k: 2", "axis: 2 out_max_val: true"]
)
def test_layer(fields: str) -> None:
    check_layer(layer(fields), x=(2, 3, 4, 5))


@pytest.mark.parametrize(("bottom", "top"), [((4,), (4, 1, 1)), ((4, 5), (4, 1, 1)), ((4, 5, 2), (4, 1, 1)), ((4, 5, 2, 3), (4, 1, 1, 1))])
def test_without_axis_the_top_has_3_axes_at_least(bottom: tuple[int, ...], top: tuple[int, ...]) -> None:
    assert check_layer(layer(), x=bottom).graph.values[-1].shape == top


def test_of_equal_values_the_last_comes_first() -> None:
    x = torch.tensor([[1.0, 7, 7, 7, 2]])
    assert tops(layer("top_k: 2"), x=x)[0].flatten().tolist() == [3, 2]
    assert tops(layer("axis: 1 top_k: 4"), x=x)[0].tolist() == [[3, 2, 1, 4]]


def test_nan() -> None:
    x = torch.tensor([[9, math.nan, 1, 3, 2], [9, 8, 7, 6, math.nan], [math.nan] * 5, [math.nan, 7, 7, 1, -math.inf]])
    assert tops(layer(), x=x)[0].flatten().tolist() == [3, 4, 4, 2]
    values = tops(layer("axis: 1 out_max_val: true"), x=x)[0].flatten()
    torch.testing.assert_close(values, torch.tensor([3, math.nan, math.nan, 7]), equal_nan=True)


def test_indices_then_values() -> None:
    x = torch.tensor([[1.0, 9, 3], [6, 5, 4]])
    assert tops(layer("out_max_val: true top_k: 2"), x=x)[0].tolist() == [[[1, 2], [9, 3]], [[0, 1], [6, 5]]]
    assert tops(layer("out_max_val: true top_k: 2 axis: 1"), x=x)[0].tolist() == [[9, 3], [6, 5]]


def test_refusals() -> None:
    assert "top_k is 7; needed: 1 to 6, the elements of an item" in refusal(layer("top_k: 7"), x=(2, 3, 2))
    assert "top_k is 3; needed: 1 to 2, the elements in axis 2" in refusal(layer("top_k: 3 axis: 2"), x=(2, 3, 2))
    assert "axis is 3" in refusal(layer("axis: 3"), x=(2, 3, 2))
    assert "bottom has 0 axes; needed: at least 1" in refusal(layer(), x=())


def test_a_bottom_that_becomes_smaller() -> None:
    it = subject(layer("top_k: 3"), x=(2, 3))
    with pytest.raises(LayerError, match="top_k is 3; needed: 1 to 2"):
        it.layer.reshape([(2, 2)])
    with pytest.raises(LayerError, match="bottom has 1 axes; needed: at least 2"):
        subject(layer("axis: 1"), x=(2, 3)).layer.reshape([(2,)])
