"""Deconvolution."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import check_layer, refusal, subject


def layer(fields: str, bottoms: str = 'bottom: "x" top: "y"') -> str:
    return f"""layer {{ name: "l" type: "Deconvolution" {bottoms} convolution_param {{
                weight_filler {{ type: "xavier" }} bias_filler {{ type: "gaussian" }} {fields} }} }}"""


@pytest.mark.parametrize(
    ("fields", "shape"),
    [
        ("num_output: 2 kernel_size: 3", (2, 3, 2, 3)),
        ("num_output: 4 kernel_size: 4 stride: 2 pad: 1 group: 2", (1, 2, 3, 2)),
        ("num_output: 2 kernel_h: 3 kernel_w: 2 stride_h: 1 stride_w: 2 bias_term: false", (1, 3, 2, 2)),
        ("num_output: 2 kernel_size: 2 dilation: 2", (1, 2, 3, 3)),
        ("num_output: 2 kernel_size: 3 stride: 2", (2, 3, 4)),
        ("num_output: 2 kernel_size: 2 stride: 2", (1, 2, 2, 2, 2)),
        ("num_output: 2 axis: 2 kernel_size: 2", (2, 2, 2, 3)),
        ("num_output: 5", (2, 3)),
        ("num_output: 4 kernel_size: [2, 1, 2, 1] stride: [1, 2, 2, 1] dilation: 2 pad: [1, 0, 1, 0] group: 2", (2, 2, 3, 2, 2, 1)),
        ("num_output: 1 kernel_size: 2 bias_term: false", (1, 2, 1, 2, 1, 2)),
    ],
)
def test_layer(fields: str, shape: tuple[int, ...]) -> None:
    check_layer(layer(fields), x=shape)


def test_several_bottoms_share_the_weights() -> None:
    check_layer(layer("num_output: 2 kernel_size: 2", 'bottom: "a" bottom: "b" top: "y" top: "z"'), a=(1, 2, 2, 2), b=(1, 2, 2, 2))


def test_weights_are_laid_out_by_bottom_channel() -> None:
    assert [blob.shape for blob in subject(layer("num_output: 6 kernel_size: 3 group: 2"), x=(1, 4, 2, 2)).layer.blobs] == [
        (4, 3, 3, 3),
        (6,),
    ]


def test_four_axes_are_those_of_three_planes_apart() -> None:
    """A kernel of length 1 in the fourth axis works on volumes for each place in it."""
    it = subject(layer("num_output: 2 kernel_size: [3, 2, 2, 1] stride: [2, 1, 2, 1] pad: [1, 0, 1, 0]"), x=(2, 3, 3, 3, 3, 2))
    weight, bias = it.blobs()
    volumes = it.bottoms()[0].unbind(-1)
    parts = [F.conv_transpose3d(part, weight.squeeze(-1), bias, (2, 1, 2), (1, 0, 1)) for part in volumes]
    torch.testing.assert_close(it.forward()[0], torch.stack(parts, -1))


def test_bilinear_weights_upsample() -> None:
    fields = "num_output: 1 kernel_size: 4 stride: 2 pad: 1 bias_term: false"
    text = f"""layer {{ name: "l" type: "Deconvolution" bottom: "x" top: "y"
                convolution_param {{ {fields} weight_filler {{ type: "bilinear" }} }} }}"""
    (y,) = subject(text, x=torch.arange(4.0).reshape(1, 1, 1, 4).expand(1, 1, 4, 4)).forward()
    assert y[0, 0, 3].tolist() == [0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 2.25]


def test_refusals() -> None:
    assert "pad 4 x 4 leaves a top of" in refusal(layer("num_output: 1 kernel_size: 3 pad: 4"), x=(1, 1, 2, 2))


def test_one_row_spread_with_a_stride_to_one_channel() -> None:
    """oneDNN's gradient of the bottom read others' memory with the channels last."""
    it = subject(layer("num_output: 1 kernel_h: 3 kernel_w: 4 stride_h: 1 stride_w: 3"), x=(6, 1, 4, 1))
    (x,), blobs = it.bottoms(), it.blobs()
    x.requires_grad_()
    (y,) = it.layer.forward([x], [blobs[0].clone(memory_format=torch.channels_last), blobs[1]], it.run())
    diff = torch.randn(y.shape, generator=torch.Generator().manual_seed(1))
    (found,) = torch.autograd.grad(y, x, diff)
    torch.testing.assert_close(found.double(), F.conv2d(diff.double(), blobs[0].double(), stride=(1, 3)), rtol=1e-5, atol=1e-5)
