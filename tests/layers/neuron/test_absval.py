"""AbsVal."""

from __future__ import annotations

from tests.layers.check import check_layer, gradients, refusal

LAYER = 'layer { name: "l" type: "AbsVal" bottom: "x" top: "y" }'


def test_layer() -> None:
    check_layer(LAYER, x=(2, 3, 4))


def test_the_gradient_at_0_is_0() -> None:
    assert gradients(LAYER, x=[-2, 0, 3])[0].tolist() == [-1, 0, 1]


def test_it_cannot_work_in_place() -> None:
    assert "cannot work in place" in refusal(LAYER.replace('"y"', '"x"'), x=(2,))
