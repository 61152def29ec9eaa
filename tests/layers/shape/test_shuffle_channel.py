"""ShuffleChannel."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import check_layer, refusal, tops


def layer(group: int) -> str:
    return f'layer {{ name: "l" type: "ShuffleChannel" bottom: "x" top: "y" shuffle_channel_param {{ group: {group} }} }}'


@pytest.mark.parametrize("group", [1, 2, 3, 6])
def test_layer(group: int) -> None:
    it = check_layer(layer(group), x=(2, 6, 2, 2))
    assert torch.equal(it.forward()[0], F.channel_shuffle(it.bottoms()[0], group))


def test_one_channel_for_each_group_stays_where_it_is_but_in_other_memory() -> None:
    check_layer(layer(2), x=(3, 2, 5, 1))


def test_values() -> None:
    assert tops(layer(2), x=torch.arange(6.0).reshape(1, 6))[0].flatten().tolist() == [0, 3, 1, 4, 2, 5]


def test_refusals() -> None:
    assert "group is 3 and the bottom has 4 channels" in refusal(layer(3), x=(1, 4))
    assert "group is 0" in refusal(layer(0), x=(1, 4))
