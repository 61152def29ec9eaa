"""Input."""

from __future__ import annotations

from tests.layers.check import refusal, subject


def layer(fields: str = "", tops: str = 'top: "y"') -> str:
    return f'layer {{ name: "l" type: "Input" {tops} input_param {{ {fields} }} }}'


def shapes(fields: str, tops: str = 'top: "y" top: "z"') -> list[tuple[int, ...]]:
    return [value.shape for value in subject(layer(fields, tops)).graph.values]


def test_one_shape_or_one_for_each_top() -> None:
    assert shapes("shape { dim: 2 dim: 3 }") == [(2, 3), (2, 3)]
    assert shapes("shape { dim: 2 } shape { dim: 3 }") == [(2,), (3,)]
    assert shapes("shape { }") == [(), ()]
    assert shapes("") == [(), ()]


def test_refusals() -> None:
    assert "given 2 times for 3 tops" in refusal(layer("shape { } shape { }", 'top: "x" top: "y" top: "z"'))
    assert "negative dim -1" in refusal(layer("shape { dim: -1 }"))
