"""Pooling3D."""

from __future__ import annotations

import itertools

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import check_layer, gradients, refusal, tops, values


def layer(fields: str) -> str:
    return f'layer {{ name: "l" type: "Pooling3D" bottom: "x" top: "y" pooling3d_param {{ {fields} }} }}'


SIZES = "kernel_size: 2 kernel_depth: 1 stride: 2"


@pytest.mark.parametrize("fields", [SIZES, "kernel_size: 3 kernel_depth: 2 temporal_stride: 2", "kernel_size: 2 kernel_depth: 2 stride: 2"])
@pytest.mark.parametrize("method", ["MAX", "AVE"])
def test_layer(method: str, fields: str) -> None:
    check_layer(
        layer(f"pool: {method} {fields}"),
        x=torch.randperm(2 * 2 * 4 * 5 * 5, generator=torch.Generator().manual_seed(0)).view(2, 2, 4, 5, 5) / 10,
    )


def test_sizes_are_rounded_up() -> None:
    x = values((1, 2, 3, 5, 4))
    (y,) = tops(layer("pool: MAX kernel_size: 2 kernel_depth: 2 stride: 2 temporal_stride: 2"), x=x)
    assert torch.equal(y, F.max_pool3d(x, 2, 2, ceil_mode=True))


def test_average_with_padding() -> None:
    x = values((1, 2, 3, 6, 6))
    (y,) = tops(layer("pool: AVE kernel_size: 3 kernel_depth: 1 stride: 3 pad: 1"), x=x)
    wanted = F.avg_pool3d(x, (1, 3, 3), (1, 3, 3), (0, 1, 1), ceil_mode=True)
    torch.testing.assert_close(y, wanted)


@pytest.mark.parametrize(("kernel", "stride", "pad"), [(2, 3, 1), (2, 1, 2), (1, 2, 3)])
def test_windows_in_the_padding_alone(kernel: int, stride: int, pad: int) -> None:
    """They are sums of nothing, which C3D keeps, however large the padding is."""
    x = values((1, 1, 2, 5, 5))
    fields = f"pool: AVE kernel_size: {kernel} kernel_depth: 1 stride: {stride} temporal_stride: 3 pad: {pad}"
    (y,) = check_layer(layer(fields), x=x).forward()
    starts = range(-pad, 5 + pad - kernel + stride, stride)
    assert y.shape == (1, 1, 2, len(starts), len(starts))
    for (i, row), (j, column) in itertools.product(enumerate(starts), repeat=2):
        ends = [min(start + kernel, 5 + pad) for start in (row, column)]
        part = x[0, 0, 0, max(row, 0) : max(ends[0], 0), max(column, 0) : max(ends[1], 0)]
        assert float(y[0, 0, 0, i, j]) == pytest.approx(float(part.sum()) / ((ends[0] - row) * (ends[1] - column)), rel=1e-4, abs=1e-6)


def test_equal_maxima_all_take_the_gradient() -> None:
    x = torch.tensor([1.0, 3, 3, 2]).view(1, 1, 1, 2, 2)
    (dx,) = gradients(layer(SIZES), torch.tensor([5.0]), x=x)
    assert dx.flatten().tolist() == [0, 5, 5, 0]
    (dx,) = gradients(layer("kernel_size: 1 kernel_depth: 2"), torch.tensor([1.0, 2]), x=torch.ones(1, 1, 3, 1, 1))
    assert dx.flatten().tolist() == [1, 3, 2]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("kernel_size: 2", "kernel_depth and kernel_size are 0 and 2"),
        (f"{SIZES} temporal_stride: 0", "temporal_stride and stride are 0 and 2"),
        (f"{SIZES} pad: 1", "pad is 1; needed: pool AVE"),
        (f"{SIZES} kernel_d: 2", "kernel_d is not C3D's"),
        (f"pool: AVE_EXC_PAD {SIZES}", "pool AVE_EXC_PAD is not C3D's"),
        ("kernel_size: 9 kernel_depth: 1 stride: 1", "finds no window"),
    ],
)
def test_refusals(fields: str, message: str) -> None:
    assert message in refusal(layer(fields), x=(1, 1, 2, 4, 4))


def test_it_pools_volumes() -> None:
    assert "bottom has 4 axes; needed: 5" in refusal(layer(SIZES), x=(1, 1, 4, 4))
