"""TanH."""

from __future__ import annotations

import math

import pytest

from tests.layers.check import check_layer, subject, tops


def layer(top: str = "y") -> str:
    return f'layer {{ name: "l" type: "TanH" bottom: "x" top: "{top}" }}'


@pytest.mark.parametrize("top", ["x", "y"])
def test_layer(top: str) -> None:
    check_layer(layer(top), x=(2, 3, 4))


def test_values() -> None:
    assert tops(layer(), x=[-2, 1000, -1000])[0].tolist() == pytest.approx([math.tanh(-2), 1, -1])


def test_it_works_in_place() -> None:
    it = subject(layer(), x=(2, 3))
    (x,) = it.bottoms()
    assert it.layer.forward([x], [], it.run(inplace=True))[0].data_ptr() == x.data_ptr()
