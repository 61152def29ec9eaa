"""Axpy."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, refusal

LAYER = 'layer { name: "l" type: "Axpy" bottom: "a" bottom: "x" bottom: "b" top: "y" }'


@pytest.mark.parametrize("scale", [(2, 3), (2, 3, 1, 1)])
def test_layer(scale: tuple[int, ...]) -> None:
    it = check_layer(LAYER, a=scale, x=(2, 3, 2, 4), b=(2, 3, 2, 4))
    a, x, b = it.bottoms()
    torch.testing.assert_close(it.forward()[0], a.reshape(2, 3, 1, 1) * x + b)


def test_refusals() -> None:
    assert "bottom 0 is (2, 3, 2, 1)" in refusal(LAYER, a=(2, 3, 2, 1), x=(2, 3, 2, 4), b=(2, 3, 2, 4))
    assert "bottom 1 is (2, 3, 2, 4) and bottom 2 (2, 3, 4, 2)" in refusal(LAYER, a=(2, 3), x=(2, 3, 2, 4), b=(2, 3, 4, 2))
