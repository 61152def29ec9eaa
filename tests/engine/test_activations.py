"""What a training pass keeps for its backward: a layer in place keeps no activation where Caffe's keeps none."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from tests.engine.build import built, feeds

CHANNELS = 16
WHOLE = 4 * 4 * CHANNELS * 9 * 9
"""Bytes of one activation."""
CONV = f'convolution_param {{ num_output: {CHANNELS} kernel_size: 3 pad: 1 weight_filler {{ type: "xavier" }} }}'


def kept(layer: str, *, channels_last: bool) -> int:
    """Memories of an activation's size that are kept over convolution, ``layer`` in place, convolution."""
    text = f"""
layer {{ name: "in" type: "Input" top: "data" input_param {{ shape {{ dim: 4 dim: 3 dim: 9 dim: 9 }} }} }}
layer {{ name: "a" type: "Convolution" bottom: "data" top: "a" {CONV} }}
layer {{ name: "x" bottom: "a" top: "a" {layer} }}
layer {{ name: "b" type: "Convolution" bottom: "a" top: "b" {CONV} }}
layer {{ name: "loss" type: "Reduction" bottom: "b" top: "loss" loss_weight: 1 }}"""
    engine = built(text, channels_last=channels_last).whole
    sizes: dict[int, int] = {}
    held = []

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        sizes[storage.data_ptr()] = storage.nbytes()
        held.append(tensor.detach())  # so that no address comes back
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        engine.forward_backward({"data": feeds()["data"]})
    return sum(size >= WHOLE for size in sizes.values())


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize(
    "layer",
    [
        'type: "ReLU"',
        'type: "ReLU" relu_param { negative_slope: 0.1 }',
        'type: "ELU"',
        'type: "Sigmoid"',
        'type: "TanH"',
        'type: "Exp"',
        'type: "Log" log_param { shift: 9 }',
        'type: "Power" power_param { power: 2 }',
        'type: "BNLL"',
        'type: "Clip" clip_param { min: -1 max: 1 }',
        'type: "Bias"',
        'type: "Dropout"',  # and a mask of a byte an element, where Caffe's has four
        'type: "ReLU6"',
    ],
)
def test_the_top_alone_is_kept(layer: str, channels_last: bool) -> None:
    assert kept(layer, channels_last=channels_last) == 1


@pytest.mark.parametrize(("layer", "caffe"), [('type: "PReLU"', 2), ('type: "Scale"', 2), ('type: "Swish"', 3), ('type: "BatchNorm"', 3)])
def test_no_more_is_kept_than_by_caffe(layer: str, caffe: int) -> None:
    assert 1 < kept(layer, channels_last=False) <= caffe
