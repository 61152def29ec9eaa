"""Slice."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str = "", count: int = 2) -> str:
    names = " ".join(f'top: "y{i}"' for i in range(count))
    return f'layer {{ name: "l" type: "Slice" bottom: "x" {names} slice_param {{ {fields} }} }}'


@pytest.mark.parametrize(
    ("fields", "count"),
    [("", 2), ("axis: 0", 2), ("slice_dim: 2", 3), ("slice_point: 1", 2), ("axis: -1 slice_point: 1 slice_point: 2", 3), ("", 1)],
)
def test_layer(fields: str, count: int) -> None:
    check_layer(layer(fields, count), x=(2, 4, 3))


def test_values() -> None:
    x = torch.arange(6.0)
    assert [y.tolist() for y in tops(layer("axis: 0 slice_point: 1"), x=x)] == [[0], [1, 2, 3, 4, 5]]


def test_a_top_without_gradient_counts_as_0() -> None:
    it = check_layer(layer("axis: 0"), x=(4,))
    (x,) = it.bottoms()
    first, _ = it.layer.forward([x.requires_grad_()], [], it.run())
    (dx,) = torch.autograd.grad(first.sum(), x)
    assert dx.tolist() == [1, 1, 0, 0]


def test_refusals() -> None:
    assert "axis 1 has 4 elements for 3 tops" in refusal(layer(count=3), x=(2, 4))
    assert "slice_point is given 2 times for 2 tops" in refusal(layer("slice_point: 1 slice_point: 2"), x=(2, 4))
    for point in (0, 4):
        assert "needed: rising numbers above 0 and below 4" in refusal(layer(f"slice_point: {point}"), x=(2, 4))
    assert "needed: rising numbers" in refusal(layer("slice_point: 2 slice_point: 1", 3), x=(2, 4))
