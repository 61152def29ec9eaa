"""DummyData."""

from __future__ import annotations

import torch

from caffepy.layers.core.random import CaffeRandom
from tests.golden.engines import SEED
from tests.layers.check import check_layer, refusal, subject


def layer(fields: str, tops: str = 'top: "y"') -> str:
    return f'layer {{ name: "l" type: "DummyData" {tops} dummy_data_param {{ {fields} }} }}'


def test_layer() -> None:
    check_layer(layer('shape { dim: 2 dim: 3 } data_filler { type: "gaussian" }'))
    check_layer(layer("num: 2 channels: 3 height: 1 width: 4"))
    it = check_layer(layer("shape { dim: 2 } shape { dim: 3 }", 'top: "y" top: "z"'))
    assert [top.shape for top in it.forward()] == [(2,), (3,)]


def test_constants_are_kept_and_others_drawn_anew() -> None:
    fields = 'shape { dim: 3 } data_filler { value: 2 } data_filler { type: "uniform" }'
    it, random = subject(layer(fields, 'top: "y" top: "z"')), CaffeRandom(SEED)
    run = it.run()
    for _ in range(2):
        constant, drawn = it.layer.forward([], [], run)
        assert constant.tolist() == [2, 2, 2]
        assert torch.equal(drawn, torch.from_numpy(random.uniform(3, 0, 1)))


def test_refusals() -> None:
    assert "both given" in refusal(layer("num: 1 shape { dim: 1 }"))
    assert "channels is given 0 times for 1 tops" in refusal(layer("num: 1"))
    assert "data_filler is given 2 times for 1 tops" in refusal(layer("shape { dim: 1 } data_filler { } data_filler { }"))
    assert "negative dim -1" in refusal(layer("shape { dim: 2 dim: -1 }"))
