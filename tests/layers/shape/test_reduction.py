"""Reduction."""

from __future__ import annotations

import pytest

from tests.layers.check import check_layer, gradients, refusal, tops


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "Reduction" bottom: "x" top: "y" reduction_param {{ {fields} }} }}'


@pytest.mark.parametrize("operation", ["SUM", "ASUM", "SUMSQ", "MEAN"])
@pytest.mark.parametrize("fields", ["", "axis: 1", "axis: -1 coeff: 0.5", "axis: 2 coeff: -3"])
def test_layer(fields: str, operation: str) -> None:
    check_layer(layer(f"{fields} operation: {operation}"), x=(2, 3, 4))


def test_a_scalar() -> None:
    check_layer(layer("operation: MEAN"), x=())


@pytest.mark.parametrize(("operation", "value"), [("SUM", -2), ("ASUM", 6), ("SUMSQ", 20), ("MEAN", -1)])
def test_values(operation: str, value: float) -> None:
    assert tops(layer(f"operation: {operation} coeff: 2"), x=[-4, 2])[0] == 2 * value


def test_the_gradient_of_the_absolute_sum_at_0_is_0() -> None:
    assert gradients(layer("operation: ASUM"), x=[-3, 0, 3])[0].tolist() == [-1, 0, 1]


def test_refusals() -> None:
    assert "axis is 3" in refusal(layer("axis: 3"), x=(2, 3, 4))
