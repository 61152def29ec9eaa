"""ConvolutionDepthwise."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import check_layer, refusal


def layer(fields: str) -> str:
    return f"""layer {{ name: "l" type: "ConvolutionDepthwise" bottom: "x" top: "y" convolution_param {{
                num_output: 7 weight_filler {{ type: "xavier" }} bias_filler {{ type: "gaussian" }} {fields} }} }}"""


@pytest.mark.parametrize(
    "fields", ["kernel_size: 3 pad: 1", "kernel_size: 3 stride: 2 dilation: 1", "kernel_h: 3 kernel_w: 1 bias_term: false"]
)
def test_layer(fields: str) -> None:
    it = check_layer(layer(fields), x=(2, 4, 5, 4))
    assert it.layer.blobs[0].shape[:2] == (4, 1)
    assert it.graph.values[-1].shape[1] == 4


def test_each_channel_has_its_kernel() -> None:
    it = check_layer(layer("kernel_size: 3"), x=(1, 3, 4, 4))
    weight, bias = it.blobs()
    (x,) = it.bottoms()
    wanted = torch.cat([F.conv2d(x[:, i : i + 1], weight[i : i + 1], bias[i : i + 1]) for i in range(3)], 1)
    torch.testing.assert_close(it.forward()[0], wanted)


def test_refusals() -> None:
    assert "bottom has 3 axes; needed: 4" in refusal(layer("kernel_size: 3"), x=(1, 3, 4))
