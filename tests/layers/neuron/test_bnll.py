"""BNLL."""

from __future__ import annotations

import math

import torch

from tests.layers.check import check_layer, gradients, tops

LAYER = 'layer { name: "l" type: "BNLL" bottom: "x" top: "y" }'


def test_layer() -> None:
    check_layer(LAYER, x=(2, 3, 4))


def test_in_place_the_gradient_is_that_at_the_top() -> None:
    in_place = LAYER.replace('"y"', '"x"')
    check_layer(in_place, no_gradcheck="Caffe has only the top left", x=(2, 3))
    x = torch.tensor([-1.0, 0, 2])
    torch.testing.assert_close(gradients(in_place, x=x)[0], tops(LAYER, x=x)[0].sigmoid())


def test_large_values_do_not_overflow() -> None:
    torch.testing.assert_close(tops(LAYER, x=[-200, 0, 200])[0], torch.tensor([0, math.log(2), 200]))
    assert gradients(LAYER, x=[-200, 0, 200])[0].tolist() == [0, 0.5, 1]
