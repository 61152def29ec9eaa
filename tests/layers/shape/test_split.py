"""Split."""

from __future__ import annotations

import torch

from tests.layers.check import check_layer, refusal

LAYER = 'layer { name: "l" type: "Split" bottom: "x" top: "y" top: "z" }'


def test_layer() -> None:
    it = check_layer(LAYER, x=(2, 3, 4))
    assert all(torch.equal(top, it.bottoms()[0]) for top in it.forward())


def test_no_copy_is_made() -> None:
    it = check_layer(LAYER, x=(2, 3))
    (x,) = it.bottoms()
    assert all(top is x for top in it.layer.forward([x], [], it.run()))


def test_refusals() -> None:
    assert "cannot work in place" in refusal(LAYER.replace('"y"', '"x"'), x=(2, 3))
