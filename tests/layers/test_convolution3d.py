"""Convolution3D."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import check_layer, refusal

FIELDS = 'num_output: 4 kernel_size: 3 kernel_depth: 2 weight_filler { type: "xavier" } bias_filler { type: "gaussian" }'


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "Convolution3D" bottom: "x" top: "y" convolution3d_param {{ {FIELDS} {fields} }} }}'


@pytest.mark.parametrize(
    ("fields", "stride", "pad"),
    [("", 1, 0), ("stride: 2 pad: 1 filter_group: 2", (1, 2, 2), (0, 1, 1)), ("temporal_stride: 2 temporal_pad: 1", (2, 1, 1), (1, 0, 0))],
)
def test_layer(fields: str, stride: int, pad: int) -> None:
    it = check_layer(layer(fields), x=(2, 3, 5, 6, 4))
    weight, bias = it.blobs()
    assert (weight.shape, bias.shape) == ((4, 3, 2, 3, 3), (1, 1, 1, 1, 4))
    torch.testing.assert_close(it.forward()[0], F.conv3d(it.bottoms()[0], weight, bias.flatten(), stride, pad))
    assert torch.equal(it.forward()[0], it.prepared()[0])


def test_without_bias() -> None:
    assert len(check_layer(layer("bias_term: false"), x=(1, 2, 2, 3, 3)).layer.blobs) == 1


def test_refusals() -> None:
    assert "bottom has 4 axes; needed: 5" in refusal(layer(), x=(2, 3, 5, 6))
    assert "kernel_size is 0" in refusal(layer().replace("kernel_depth: 2", ""), x=(2, 3, 5, 6, 4))
    assert "filter_group is 3 and num_output 4" in refusal(layer("filter_group: 3"), x=(2, 3, 5, 6, 4))
