"""Split."""

from __future__ import annotations

import torch

from tests.layers.check import check_layer

LAYER = 'layer { name: "l" type: "Split" bottom: "x" top: "y" top: "z" }'


def test_layer() -> None:
    it = check_layer(LAYER, x=(2, 3, 4))
    assert all(torch.equal(top, it.bottoms()[0]) for top in it.forward())


def test_no_copy_is_made() -> None:
    it = check_layer(LAYER, x=(2, 3))
    (x,) = it.bottoms()
    assert all(top is x for top in it.layer.forward([x], [], it.run()))
