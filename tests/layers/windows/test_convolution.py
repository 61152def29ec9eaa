"""Convolution, and the windows that it shares with Deconvolution and Im2col."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from caffepy.layers.windows.convolution import ConvolutionLayer
from tests.layers.check import Subject, check_layer, refusal, subject


def layer(fields: str, bottoms: str = 'bottom: "x" top: "y"') -> str:
    return f"""layer {{ name: "l" type: "Convolution" {bottoms} convolution_param {{
                weight_filler {{ type: "xavier" }} bias_filler {{ type: "gaussian" }} {fields} }} }}"""


PLANES = [
    "num_output: 2 kernel_size: 3",
    "num_output: 4 kernel_size: 3 pad: 1 stride: 2 group: 2",
    "num_output: 2 kernel_h: 3 kernel_w: 2 pad_h: 0 pad_w: 1 stride_h: 1 stride_w: 2 bias_term: false",
    "num_output: 2 kernel_size: 3 kernel_size: 1 dilation: 2 pad: 2",
    "num_output: 4 kernel_size: 1 group: 4",
]


@pytest.mark.parametrize("type_name", ["Convolution", "Deconvolution", "Im2col"])
@pytest.mark.parametrize(
    ("hole", "dilation"), [("hole: 2", "dilation: 2"), ("hole_h: 2 hole_w: 1", "dilation: [2, 1]"), ("hole: [1, 2]", "dilation: [1, 2]")]
)
def test_deeplabs_hole_is_dilation(type_name: str, hole: str, dilation: str) -> None:
    old, new = (
        check_layer(layer(f"num_output: 2 kernel_size: 3 {fields}").replace('"Convolution"', f'"{type_name}"'), x=(2, 4, 5, 6))
        for fields in (hole, dilation)
    )
    assert torch.equal(old.forward()[0], new.forward()[0])
    plain = subject(layer("num_output: 2 kernel_size: 3").replace('"Convolution"', f'"{type_name}"'), x=(2, 4, 5, 6))
    assert plain.forward()[0].shape != old.forward()[0].shape


@pytest.mark.parametrize("fields", PLANES)
def test_planes(fields: str) -> None:
    check_layer(layer(fields), x=(2, 4, 5, 4))


@pytest.mark.parametrize(
    ("fields", "shape"),
    [
        ("num_output: 2 kernel_size: 3 pad: 1", (2, 3, 5)),
        ("num_output: 2 kernel_size: 2", (1, 2, 3, 3, 2)),
        ("num_output: 2 kernel_size: 2 stride: 2 group: 2", (1, 2, 2, 3, 2, 2)),
        ("num_output: 2 axis: 2 kernel_size: 2", (2, 2, 3, 4)),
        ("num_output: 2 axis: -1", (2, 3)),
        ("num_output: 5", (2, 3)),
    ],
)
def test_any_number_of_axes(fields: str, shape: tuple[int, ...]) -> None:
    check_layer(layer(fields), x=shape)


def test_several_bottoms_share_the_weights() -> None:
    it = check_layer(layer("num_output: 2 kernel_size: 2", 'bottom: "a" bottom: "b" top: "y" top: "z"'), a=(2, 3, 3, 3), b=(2, 3, 3, 3))
    assert len(it.node.params) == 2


def test_a_kernel_too_large_by_less_than_a_stride_gives_one_window() -> None:
    it = check_layer(layer("num_output: 2 kernel_size: 4 stride: 2"), x=(1, 2, 3, 3))
    weight, bias = it.blobs()
    torch.testing.assert_close(it.forward()[0], F.conv2d(F.pad(it.bottoms()[0], (0, 1, 0, 1)), weight, bias))


def test_four_axes_are_those_of_three_planes_apart() -> None:
    """A kernel of length 1 in the fourth axis is a convolution of volumes for each place in it."""
    it = subject(layer("num_output: 2 kernel_size: 2 kernel_size: 2 kernel_size: 2 kernel_size: 1"), x=(1, 2, 3, 3, 3, 2))
    weight, bias = it.blobs()
    parts = [F.conv3d(part, weight.squeeze(-1), bias) for part in it.bottoms()[0].unbind(-1)]
    torch.testing.assert_close(it.forward()[0], torch.stack(parts, -1))


def test_flops_count_two_for_each_weight_and_window() -> None:
    it = subject(layer("num_output: 4 kernel_size: 3 group: 2"), x=(2, 4, 5, 5))
    assert it.layer.flops([(2, 4, 5, 5)], [(2, 4, 3, 3)]) == 2 * 2 * 9 * (4 * 2 * 9)


def test_refusals() -> None:
    x = (1, 4, 5, 5)
    assert "num_output is 0" in refusal(layer("kernel_size: 1"), x=x)
    assert "kernel_size is given 0 times" in refusal(layer("num_output: 1"), x=x)
    assert "kernel_size is given 3 times" in refusal(layer("num_output: 1 kernel_size: 1 kernel_size: 1 kernel_size: 1"), x=x)
    assert "kernel_size and kernel_h/kernel_w are both given" in refusal(layer("num_output: 1 kernel_size: 1 kernel_h: 1 kernel_w: 1"), x=x)
    assert "kernel_size is 0 x 0" in refusal(layer("num_output: 1 kernel_size: 0"), x=x)
    assert "stride is 0 x 0" in refusal(layer("num_output: 1 kernel_size: 1 stride: 0"), x=x)
    assert "group is 3 and channels of the bottom 4" in refusal(layer("num_output: 3 kernel_size: 1 group: 3"), x=x)
    assert "group is 2 and num_output 3" in refusal(layer("num_output: 3 kernel_size: 1 group: 2"), x=x)
    assert "kernel reaches over 7 x 7 elements, the padded bottom has 5 x 5" in refusal(layer("num_output: 1 kernel_size: 7"), x=x)
    assert "equal shapes" in refusal(
        layer("num_output: 1 kernel_size: 1", 'bottom: "x" bottom: "b" top: "y" top: "z"'), x=x, b=(1, 4, 5, 4)
    )
    assert "as many tops" in refusal(layer("num_output: 1 kernel_size: 1", 'bottom: "x" bottom: "b" top: "y"'), x=x, b=x)


FEW_CHANNELS = """
from tools.campaign.convolutions import Form, gradients
for fields, shape in [
    ("num_output: 8 stride: 2", (8, 3, 32, 32)),
    ("num_output: 1 stride: 2", (4, 3, 12, 10)),
    ("num_output: 2 stride_h: 1 stride_w: 2", (4, 4, 9, 8)),
    ("num_output: 4 stride: 2 group: 2", (4, 6, 12, 10)),
    ("num_output: 1 stride: 2", (8, 9, 40, 112)),
]:
    for _ in range(20):
        gradients(Form("Convolution", "kernel_size: 1 " + fields, shape, True), channels_last=True)
print("done")
"""


@pytest.mark.parametrize("instructions", ["AVX2", "DEFAULT"])
def test_strided_kernels_of_one_element_over_few_channels_keep_within_their_memory(root: Path, instructions: str) -> None:
    """oneDNN's gradient of these writes beyond its buffer, which ends the process sooner or later."""
    environ = os.environ | {"ONEDNN_MAX_CPU_ISA": instructions, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", FEW_CHANNELS], env=environ, cwd=root, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr


def test_elements_between_strides_are_left_out_first_for_few_channels_alone() -> None:
    picks = [
        subject(layer(f"num_output: 4 {fields}"), x=shape).layer.picks_first
        for fields, shape in [
            ("kernel_size: 1 stride: 2", (1, 15, 4, 4)),
            ("kernel_size: 1 stride: 2 group: 2", (1, 16, 4, 4)),
            ("kernel_size: 1 stride: 2", (1, 16, 4, 4)),
            ("kernel_size: 1", (1, 3, 4, 4)),
            ("kernel_size: 1 stride: 2 pad: 1", (1, 3, 4, 4)),
            ("kernel_h: 1 kernel_w: 2 stride: 2", (1, 3, 4, 4)),
        ]
    ]
    assert picks == [True, True, False, False, False, False]


@pytest.mark.parametrize(("fields", "shape"), [("stride: 3", (2, 4, 7)), ("stride: [2, 1]", (2, 4, 5, 4)), ("stride: 2", (1, 2, 3, 4, 2))])
def test_strided_kernels_of_one_element(fields: str, shape: tuple[int, ...]) -> None:
    it = check_layer(layer(f"num_output: 2 kernel_size: 1 group: 2 {fields}"), x=shape)
    weight, bias = it.blobs()
    convolve = {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}[len(shape)]
    torch.testing.assert_close(it.forward()[0], convolve(it.bottoms()[0], weight, bias, it.layer.windows.stride, groups=2))


@pytest.mark.parametrize("stride", [1, 3])
@pytest.mark.parametrize("shape", [(2, 4, 3, 1), (1, 4, 1, 3)])
def test_groups_of_one_element_in_any_memory(shape: tuple[int, ...], stride: int) -> None:
    """torch's gradient was wrong where an axis of length 1 had a stride of its own: behind Slice or Crop, or by the layer's stride."""
    it = subject(layer(f"num_output: 8 group: 2 kernel_size: 1 stride_h: {stride if shape[2] == 1 else 1} stride_w: {stride}"), x=shape)
    (x,), (weight, bias) = it.bottoms(), it.blobs()
    n, c, h, w = shape
    steps = [h * w * c, 1, (7 if h == 1 else w) * c, (7 if w == 1 else 1) * c]
    part = torch.zeros(9 * n * c).as_strided(shape, steps)
    wanted = weight_gradient(it, x, weight, bias)
    for bottom in (x.clone(memory_format=torch.channels_last), part.copy_(x)):
        found = weight_gradient(it, bottom, weight.clone(memory_format=torch.channels_last), bias)
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)


def weight_gradient(it: Subject, *tensors: torch.Tensor) -> torch.Tensor:
    x, weight, bias = tensors
    weight = weight.detach().requires_grad_()
    (y,) = it.layer.prepared([tuple(x.shape)])([x], [weight, bias], it.run())
    return torch.autograd.grad(y, weight, torch.linspace(-1, 1, y.numel()).reshape(y.shape))[0].contiguous()


@pytest.mark.parametrize(
    ("fields", "shape"),
    [
        ("kernel_size: 3 stride_h: 1 stride_w: 3 pad_h: 1 pad_w: 0", (6, 1, 6, 4)),  # one window in a row: others' memory was read
        ("kernel_size: 1 stride: 2 pad: 1 dilation: 2", (2, 2, 2, 1)),  # no window in a row looks at an element: ended the process
    ],
)
def test_windows_that_onednn_gets_wrong_with_the_channels_last(fields: str, shape: tuple[int, ...]) -> None:
    it = subject(layer(f"num_output: 8 {fields}"), x=shape)
    assert isinstance(it.layer, ConvolutionLayer)
    (x,), (weight, bias) = it.bottoms(), it.blobs()
    weight = torch.randn(weight.shape, generator=torch.Generator().manual_seed(1))
    w = it.layer.windows
    wanted = F.conv2d(*(t.double() for t in (x, weight, bias)), w.stride, w.pad, w.dilation)
    given = [t.clone(memory_format=torch.channels_last) for t in (x, weight)]
    with torch.no_grad():
        for forward in (it.layer.forward, it.layer.prepared([shape])):
            (found,) = forward(given[:1], [given[1], bias], it.run())
            torch.testing.assert_close(found.double(), wanted, rtol=1e-5, atol=1e-5)
