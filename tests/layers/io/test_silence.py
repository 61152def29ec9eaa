"""Silence."""

from __future__ import annotations

from tests.layers.check import check_layer, refusal


def test_layer() -> None:
    it = check_layer('layer { name: "l" type: "Silence" bottom: "a" bottom: "b" }', no_gradcheck="it has no top", a=(2, 3), b=(4,))
    assert it.graph.outputs == ()


def test_refusals() -> None:
    assert "takes 0 top blob(s), 1 given" in refusal('layer { name: "l" type: "Silence" bottom: "a" top: "y" }', a=(2,))
