"""Exp, and the bases that it shares with Log."""

from __future__ import annotations

import pytest

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str = "", top: str = "y") -> str:
    return f'layer {{ name: "l" type: "Exp" bottom: "x" top: "{top}" exp_param {{ {fields} }} }}'


@pytest.mark.parametrize("top", ["x", "y"])
@pytest.mark.parametrize("fields", ["", "base: 2", "base: 0.5 scale: 3 shift: -1", "scale: 0", "base: 1"])
def test_layer(fields: str, top: str) -> None:
    check_layer(layer(fields, top), x=(2, 3, 4))


def test_values() -> None:
    assert tops(layer("base: 2 scale: 3 shift: 1"), x=[0, 1, -1])[0].tolist() == pytest.approx([2, 16, 0.25])


def test_refusals() -> None:
    assert "base is 0; needed: more than 0 and finite, or -1 for e" in refusal(layer("base: 0"), x=(2,))
    assert "base is inf" in refusal(layer("base: inf"), x=(2,))
    assert "base is -2" in refusal(layer("base: -2"), x=(2,))
