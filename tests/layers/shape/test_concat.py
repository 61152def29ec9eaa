"""Concat."""

from __future__ import annotations

import pytest

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str = "", bottoms: str = "ab") -> str:
    names = " ".join(f'bottom: "{name}"' for name in bottoms)
    return f'layer {{ name: "l" type: "Concat" {names} top: "y" concat_param {{ {fields} }} }}'


@pytest.mark.parametrize(
    ("fields", "a", "b"),
    [("", (2, 3, 4), (2, 1, 4)), ("axis: 0", (1, 3), (2, 3)), ("concat_dim: 2", (2, 3, 4), (2, 3, 5)), ("axis: -1", (3, 2), (3, 4))],
)
def test_layer(fields: str, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    check_layer(layer(fields), a=a, b=b)


def test_one_bottom() -> None:
    check_layer(layer(bottoms="a"), a=(2, 3))


def test_order() -> None:
    assert tops(layer("axis: 0"), a=[1, 2], b=[3])[0].tolist() == [1, 2, 3]


def test_refusals() -> None:
    assert "equal dims except in axis 1" in refusal(layer(), a=(2, 3), b=(3, 3))
    assert "equal dims except in axis 1" in refusal(layer(), a=(2, 3), b=(2, 3, 1))
    assert "both given" in refusal(layer("axis: 1 concat_dim: 1"), a=(2, 3), b=(2, 3))
    assert "axis is 2" in refusal(layer("axis: 2"), a=(2, 3), b=(2, 3))
