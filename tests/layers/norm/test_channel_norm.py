"""ChannelNorm."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops

LAYER = 'layer { name: "l" type: "ChannelNorm" bottom: "x" top: "y" }'


@pytest.mark.parametrize("shape", [(2, 3, 2, 4), (2, 3), (3,)])
def test_layer(shape: tuple[int, ...]) -> None:
    check_layer(LAYER, x=shape)


def test_values() -> None:
    x = torch.tensor([[[[3.0, 0]], [[4, 0]]]])
    assert tops(LAYER, x=x)[0].tolist() == [[[[5, 0]]]]
    assert gradients(LAYER, x=x)[0].flatten().tolist() == pytest.approx([0.6, 0, 0.8, 0])
    assert "bottom has 5 axes" in refusal(LAYER, x=(2, 3, 1, 1, 1))
