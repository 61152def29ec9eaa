"""Power."""

from __future__ import annotations

import math

import pytest
import torch

from tests.layers.check import check_layer, gradients, tops

POSITIVE = torch.rand(2, 3, 4) + 0.1


def layer(fields: str = "", top: str = "y") -> str:
    return f'layer {{ name: "l" type: "Power" bottom: "x" top: "{top}" power_param {{ {fields} }} }}'


@pytest.mark.parametrize(
    "fields",
    [
        "",
        "power: 2",
        "power: 3",
        "power: 0.5 scale: 2 shift: 1",
        "power: -1 shift: 0.5",
        "scale: -2 shift: 1",
        "power: 0",
        "scale: 0 shift: 3 power: 2",
    ],
)
def test_layer(fields: str) -> None:
    check_layer(layer(fields), x=POSITIVE)


@pytest.mark.parametrize("fields", ["power: 2", "power: 3 shift: 1", "scale: 2 shift: 1"])
def test_in_place_has_caffes_gradient(fields: str) -> None:
    check_layer(layer(fields, "x"), no_gradcheck="the square of the derivative at the top", x=POSITIVE)


def test_constants() -> None:
    assert tops(layer("power: 0 shift: 9"), x=[-1, 0, math.nan])[0].tolist() == [1, 1, 1]
    assert tops(layer("scale: 0 shift: 3 power: 2"), x=[-1, math.inf])[0].tolist() == [9, 9]
    assert gradients(layer("power: 0"), x=[-1, math.nan])[0].tolist() == [0, 0]


@pytest.mark.parametrize("fields", ["power: 0", "scale: 0 shift: 3 power: 2", "scale: 0"])
@pytest.mark.parametrize("top", ["x", "y"])
def test_the_gradient_of_a_constant_is_0_whatever_the_tops_diff(fields: str, top: str) -> None:
    (found,) = gradients(layer(fields, top), [1, -1, math.nan, math.inf], x=[0, 1, 2, math.nan])
    assert found.tolist() == [0, 0, 0, 0]
    assert not found.signbit().any()


def test_the_gradient_of_a_cube_at_0_is_nan_and_that_of_a_square_is_not() -> None:
    assert math.isnan(gradients(layer("power: 3"), x=[0])[0][0])
    assert gradients(layer("power: 2"), x=[0, 3])[0].tolist() == [0, 6]


def test_values() -> None:
    assert tops(layer("power: 2 scale: 3 shift: 1"), x=[0, 1, -1])[0].tolist() == [1, 16, 4]
    assert math.isnan(tops(layer("power: 0.5"), x=[-1])[0][0])


@pytest.mark.parametrize(("power", "wanted"), [(0.5, [0, math.inf, 2]), (-0.5, [math.inf, 0, 0.5])])
def test_roots_are_those_of_cs_pow(power: float, wanted: list[float]) -> None:
    assert tops(layer(f"power: {power}"), x=[-0.0, -math.inf, 4])[0].tolist() == wanted
