"""Bias, and the broadcasting rules that it shares with Scale."""

from __future__ import annotations

import pytest

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str = "", bottoms: str = 'bottom: "x"', top: str = "y") -> str:
    return f'layer {{ name: "l" type: "Bias" {bottoms} top: "{top}" bias_param {{ filler {{ type: "gaussian" }} {fields} }} }}'


TWO = 'bottom: "x" bottom: "b"'


@pytest.mark.parametrize(
    ("fields", "shape"),
    [("", (3,)), ("axis: 0", (2,)), ("axis: -1", (5,)), ("num_axes: 2", (3, 4)), ("num_axes: -1", (3, 4, 5)), ("num_axes: 0", ())],
)
def test_learned(fields: str, shape: tuple[int, ...]) -> None:
    assert check_layer(layer(fields), x=(2, 3, 4, 5)).layer.blobs[0].shape == shape


@pytest.mark.parametrize(("fields", "small"), [("", (3,)), ("axis: 0", (2, 3)), ("axis: 2", (4, 5)), ("axis: -1", (5,)), ("", ())])
def test_second_bottom(fields: str, small: tuple[int, ...]) -> None:
    check_layer(layer(fields, TWO), x=(2, 3, 4, 5), b=small)


def test_two_numbers_without_axes() -> None:
    check_layer(layer("", TWO), x=(), b=())


def test_in_place() -> None:
    check_layer(layer(top="x"), x=(2, 3, 4))


def test_axes_are_matched_from_axis_on() -> None:
    x = [[1.0, 2], [3, 4]]
    assert tops(layer("axis: 0", TWO), x=x, b=[10, 20])[0].tolist() == [[11, 12], [23, 24]]
    assert tops(layer("axis: 1", TWO), x=x, b=[10, 20])[0].tolist() == [[11, 22], [13, 24]]


def test_refusals() -> None:
    assert "num_axes is -2" in refusal(layer("num_axes: -2"), x=(2, 3))
    assert "reach past the bottom's 2 axes" in refusal(layer("num_axes: 2"), x=(2, 3))
    assert "needed: equal dims" in refusal(layer("", TWO), x=(2, 3), b=(4,))
    assert "reach past the bottom's 2 axes" in refusal(layer("", TWO), x=(2, 3), b=(3, 1))
