"""SpatialDropout."""

from __future__ import annotations

import pytest
import torch

from caffepy.layers.core.random import CaffeRandom
from tests.golden.engines import SEED
from tests.layers.check import TEST, check_layer, refusal, subject


def layer(fields: str = "", top: str = "y") -> str:
    return f'layer {{ name: "l" type: "SpatialDropout" bottom: "x" top: "{top}" {fields} }}'


@pytest.mark.parametrize("top", ["x", "y"])
@pytest.mark.parametrize("ratio", [0.0, 0.3])
def test_layer(ratio: float, top: str) -> None:
    check_layer(layer(f"spatial_dropout_param {{ dropout_ratio: {ratio} }}", top), x=(3, 4, 2, 2))


@pytest.mark.parametrize("name", ["spatial_dropout_param", "dropout_param"])
def test_a_channel_of_an_item_is_kept_or_dropped_whole(name: str) -> None:
    it = subject(layer(f"{name} {{ dropout_ratio: 0.3 }}"), x=torch.ones(4, 6, 2, 3))
    kept = torch.from_numpy(CaffeRandom(SEED).bernoulli(24, 0.7)).view(4, 6, 1, 1)
    torch.testing.assert_close(it.forward()[0], (kept / 0.7).expand(4, 6, 2, 3))


def test_masks_may_be_drawn_in_test_too() -> None:
    it = subject(layer("spatial_dropout_param { dropout_ratio: 0.3 sample_weights_test: true }"), phase=TEST, x=torch.ones(4, 6, 2, 3))
    assert (it.forward()[0] == 0).any()


def test_test_phase() -> None:
    it = check_layer(layer(), phase=TEST, x=(3, 4, 2))
    (x,) = it.bottoms()
    assert it.layer.forward([x], [], it.run())[0] is x


def test_refusals() -> None:
    assert "dropout_ratio is 1.5; needed: 0 to 1" in refusal(layer("dropout_param { dropout_ratio: 1.5 }"), x=(2, 2))
    assert "bottom has 1 axis; needed: at least 2" in refusal(layer(), x=(2,))
