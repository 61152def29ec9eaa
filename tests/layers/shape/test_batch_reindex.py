"""BatchReindex."""

from __future__ import annotations

import torch

from tests.layers.check import check_layer, gradients, refusal, tops

LAYER = 'layer { name: "l" type: "BatchReindex" bottom: "x" bottom: "i" top: "y" }'


def test_layer() -> None:
    check_layer(LAYER, x=(3, 2, 4), i=[2, 0, 0, 1, 2])


def test_gradients_of_an_item_picked_twice_add_up() -> None:
    assert gradients(LAYER, [1, 2, 4], x=[5, 6, 7], i=[2, 0, 2])[0].tolist() == [2, 0, 5]


def test_indices_are_rounded_down() -> None:
    assert tops(LAYER, x=[5, 6, 7], i=[1.9, 0.2])[0].tolist() == [6, 5]


def test_an_empty_list_gives_an_empty_top() -> None:
    assert tops(LAYER, x=torch.ones(3, 2), i=torch.ones(0))[0].shape == (0, 2)


def test_refusals() -> None:
    assert "index 3 found; needed: 0 to 2" in refusal(LAYER, x=(3, 2), i=[0, 3])
    assert "index -1 found" in refusal(LAYER, x=(3, 2), i=[0, -1])
    assert "index -1 found" in refusal(LAYER, x=(3, 2), i=[0, -0.5])
    assert "bottom 1 has 2 axes; needed: 1" in refusal(LAYER, x=(3, 2), i=(3, 1))
    assert "bottom 0 has 0 axes; needed: at least 1" in refusal(LAYER, x=(), i=(1,))
