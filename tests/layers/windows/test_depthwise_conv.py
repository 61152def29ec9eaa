"""DepthwiseConvolution."""

from __future__ import annotations

import torch

from tests.layers.check import check_layer


def test_layer() -> None:
    fields = 'num_output: 4 kernel_size: 3 pad: 1 stride: 2 group: 4 weight_filler { type: "xavier" }'
    text = f'layer {{ name: "l" type: "DepthwiseConvolution" bottom: "x" top: "y" convolution_param {{ {fields} }} }}'
    it = check_layer(text, x=(2, 4, 5, 4))
    same = check_layer(text.replace("DepthwiseConvolution", "Convolution"), x=(2, 4, 5, 4))
    assert torch.equal(it.forward()[0], same.forward()[0])
