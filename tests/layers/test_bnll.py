"""BNLL."""

from __future__ import annotations

import math

import torch

from tests.layers.check import check_layer, gradients, tops

LAYER = 'layer { name: "l" type: "BNLL" bottom: "x" top: "y" }'


def test_layer() -> None:
    check_layer(LAYER, x=(2, 3, 4))


def test_in_place_has_caffes_gradient() -> None:
    check_layer(LAYER.replace('"y"', '"x"'), x=(2, 3))


def test_large_values_do_not_overflow() -> None:
    torch.testing.assert_close(tops(LAYER, x=[-200, 0, 200])[0], torch.tensor([0, math.log(2), 200]))
    assert gradients(LAYER, x=[-200, 0, 200])[0].tolist() == [0, 0.5, 1]
