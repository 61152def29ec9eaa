"""LRN."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "LRN" bottom: "x" top: "y" lrn_param {{ {fields} }} }}'


@pytest.mark.parametrize(
    "fields",
    ["alpha: 1", "alpha: 2 beta: 0.5 local_size: 3", "alpha: 1 k: 2 beta: 0.3", "local_size: 1 alpha: 0.5", "alpha: 1 local_size: 9"],
)
@pytest.mark.parametrize("region", ["ACROSS_CHANNELS", "WITHIN_CHANNEL"])
def test_layer(fields: str, region: str) -> None:
    check_layer(layer(f"{fields} norm_region: {region}"), x=(2, 4, 3, 3))


@pytest.mark.parametrize("beta", [0.75, 0.6])
def test_across_channels_is_torchs_with_alpha_by_the_size(beta: float) -> None:
    x = torch.randn(2, 7, 3, 4)
    (y,) = tops(layer(f"local_size: 5 alpha: 0.7 beta: {beta} k: 1.5"), x=x)
    torch.testing.assert_close(y, F.local_response_norm(x, 5, 0.7, beta, 1.5))


def test_a_channels_last_bottom_gives_a_channels_last_top() -> None:
    x = torch.randn(2, 4, 3, 3).to(memory_format=torch.channels_last)
    (y,) = tops(layer(), x=x)
    assert y.is_contiguous(memory_format=torch.channels_last)


def test_within_a_channel_k_is_ignored_and_the_padding_counts() -> None:
    x = torch.ones(1, 1, 3, 3)
    (y,) = tops(layer("norm_region: WITHIN_CHANNEL local_size: 3 alpha: 9 beta: 1 k: 5"), x=x)
    torch.testing.assert_close(y[0, 0], 1 / (1 + torch.tensor([[4.0, 6, 4], [6, 9, 6], [4, 6, 4]])))


def test_refusals() -> None:
    assert "local_size is 4; needed: an odd number" in refusal(layer("local_size: 4"), x=(1, 4, 2, 2))
    assert "bottom has 3 axes; needed: 4" in refusal(layer(), x=(1, 4, 2))
