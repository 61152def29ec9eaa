"""Bottoms that get no gradient though it is asked for: regions and weights of boxes that hang, as in Faster R-CNN, on what learns."""

from __future__ import annotations

import pytest
import torch

from tests.engine.build import built

LEARNED = """
layer {{ name: "x" type: "Parameter" top: "x" parameter_param {{ shape {{ {shape} }} }} }}
layer {{ name: "w" type: "Parameter" top: "w" parameter_param {{ shape {{ {other} }} }} }}
"""
IMAGE = LEARNED.format(shape="dim: 1 dim: 4 dim: 5 dim: 6", other="dim: 2 dim: 5")
SUM = 'layer { name: "sum" type: "Reduction" bottom: "y" top: "sum" loss_weight: 1 }'
BOXES = LEARNED.format(shape="dim: 3 dim: 4", other="dim: 3 dim: 4") + (
    'layer { name: "b" type: "DummyData" top: "b" dummy_data_param { shape { dim: 3 dim: 4 } } }'
)
NETS = {
    "ROIPooling": IMAGE
    + 'layer { name: "y" type: "ROIPooling" bottom: "x" bottom: "w" top: "y" roi_pooling_param { pooled_w: 2 pooled_h: 2 } }'
    + SUM,
    "PSROIPooling": IMAGE
    + 'layer { name: "y" type: "PSROIPooling" bottom: "x" bottom: "w" top: "y" '
    + "psroi_pooling_param { spatial_scale: 1 output_dim: 1 group_size: 2 } }"
    + SUM,
    "SmoothL1Loss": BOXES
    + 'layer { name: "y" type: "SmoothL1Loss" bottom: "x" bottom: "b" bottom: "w" bottom: "w" top: "y" loss_weight: 1 }',
    "SmoothL1LossOHEM": BOXES + 'layer { name: "y" type: "SmoothL1LossOHEM" bottom: "x" bottom: "b" bottom: "w" top: "y" loss_weight: 1 }',
}


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("engine", ["whole", "layerwise"])
@pytest.mark.parametrize("forced", ["", "force_backward: true "])
def test_it_is_0(forced: str, engine: str, name: str) -> None:
    net = built(forced + NETS[name])
    learns, other = net.arena.learnable
    with torch.no_grad():
        learns.copy_(torch.linspace(1, 2, learns.numel()).reshape(learns.shape))
        other.copy_(torch.tensor([[0, 0, 0, 4, 3], [0, 1, 1, 5, 4]]) if name.endswith("Pooling") else torch.ones_like(other))
    runner = net.whole if engine == "whole" else net.layerwise
    assert torch.as_tensor(runner.forward_backward()).item() > 0
    first, second = runner.gradients()
    assert first is not None
    assert first.abs().sum() > 0
    assert second is None or second.abs().sum() == 0
