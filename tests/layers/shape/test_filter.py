"""Filter."""

from __future__ import annotations

import torch

from tests.layers.check import check_gradient, check_layer, gradients, refusal, subject, tops

LAYER = 'layer { name: "l" type: "Filter" bottom: "a" bottom: "b" bottom: "s" top: "y" top: "z" }'


def test_all_pass() -> None:
    check_layer(LAYER, a=(3, 2), b=(3,), s=[[1], [2], [-1]])


def test_some_pass() -> None:
    a, b = torch.arange(6.0).reshape(3, 2), torch.tensor([7.0, 8, 9])
    y, z = tops(LAYER, a=a, b=b, s=[0, 1, 0.5])
    assert y.tolist() == [[2, 3], [4, 5]]
    assert z.tolist() == [8, 9]
    check_gradient(subject(LAYER, a=a, b=b, s=[0, 1, 0.5]))


def test_dropped_items_get_gradient_0() -> None:
    one = 'layer { name: "l" type: "Filter" bottom: "a" bottom: "s" top: "y" }'
    assert gradients(one, [5], a=[1, 2, 3], s=[0, 0, 1])[0].tolist() == [0, 0, 5]


def test_nothing_passes() -> None:
    y, z = tops(LAYER, a=(3, 2), b=(3,), s=torch.zeros(3))
    assert y.shape == (0, 2)
    assert z.shape == (0,)


def test_refusals() -> None:
    assert "the selector, the last bottom, is (3, 2)" in refusal(LAYER, a=(3, 2), b=(3,), s=(3, 2))
    assert "needed: the same first dim" in refusal(LAYER, a=(3, 2), b=(2,), s=(3,))
    assert "1 tops for 2 bottoms beside the selector" in refusal(LAYER.replace('top: "z"', ""), a=(3, 2), b=(3,), s=(3,))
