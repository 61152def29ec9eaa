"""Pooling, by torch's kernels and by explicit windows."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from caffepy.errors import LayerError
from caffepy.layers.common.pooling_windows import average_pool, max_pool, maxima_by_axes, stochastic_pool
from caffepy.layers.core.half import LEAST
from tests.layers.check import TEST, TRAIN, check_layer, gradients, refusal, subject, tops


def layer(fields: str, second: str = "") -> str:
    return f'layer {{ name: "l" type: "Pooling" bottom: "x" top: "y" {second} pooling_param {{ {fields} }} }}'


WINDOWS = [
    "kernel_size: 2 stride: 2",
    "kernel_size: 3 stride: 2",
    "kernel_size: 3 stride: 2 pad: 1",
    "kernel_size: 3 stride: 2 pad: 2",
    "kernel_size: 3 stride: 2 round_mode: FLOOR",
    "kernel_h: 2 kernel_w: 3 stride_h: 2 stride_w: 1 pad_h: 1 pad_w: 0",
    "global_pooling: true",
]


@pytest.mark.parametrize("pool", ["MAX", "AVE"])
@pytest.mark.parametrize("fields", WINDOWS)
def test_layer(fields: str, pool: str) -> None:
    check_layer(layer(f"{fields} pool: {pool}"), x=(2, 2, 5, 4))


@pytest.mark.parametrize("fields", WINDOWS)
def test_mask(fields: str) -> None:
    it = check_layer(layer(fields, 'top: "m"'), x=(2, 2, 5, 4))
    y, mask = it.forward()
    assert torch.equal(y, it.bottoms()[0].flatten(2).gather(2, mask.long().flatten(2)).reshape(y.shape))


@pytest.mark.parametrize("pool", ["MAX", "AVE"])
@pytest.mark.parametrize(
    ("fields", "shape", "pooled"),
    [
        ("kernel_size: 2 stride: 2", (1, 2, 3, 4, 2), (2, 2, 1)),
        ("kernel_size: 3 stride: 2 pad: 2", (1, 1, 3, 4, 2), (3, 3, 2)),
        ("kernel_size_3d: 1 kernel_size_3d: 2 kernel_size_3d: 3 stride_3d: 2 stride_3d: 1 stride_3d: 1", (1, 2, 3, 3, 3), (2, 2, 1)),
        ("kernel_size: 2", (1, 1, 2, 3, 2, 3), (1, 2, 1, 2)),
        ("global_pooling: true", (2, 2, 2, 1, 3), (1, 1, 1)),
    ],
)
def test_more_spatial_axes(fields: str, shape: tuple[int, ...], pooled: tuple[int, ...], pool: str) -> None:
    assert check_layer(layer(f"{fields} pool: {pool}"), x=shape).graph.values[-1].shape == (*shape[:2], *pooled)


def line(*values: float) -> Tensor:
    """One row of a plane."""
    return torch.tensor(values, dtype=torch.float32).reshape(1, 1, 1, -1)


def pooled(fields: str, x: Tensor) -> list[float]:
    found: list[float] = tops(layer(f"kernel_h: 1 stride_h: 1 {fields}"), x=x)[0].flatten().tolist()
    return found


ROW = "kernel_w: 3 stride_w: 2"


def test_windows_are_counted_by_rounding_up() -> None:
    assert pooled(ROW, line(1, 2, 3, 4, 5, 6)) == [3, 5, 6]
    for floor in ("round_mode: FLOOR", "ceil_mode: false", "round_mode: FLOOR ceil_mode: true"):
        assert pooled(f"{ROW} {floor}", line(1, 2, 3, 4, 5, 6)) == [3, 5]


def test_with_padding_the_last_window_does_not_start_in_it() -> None:
    assert len(pooled("kernel_w: 2 stride_w: 2", line(1, 2, 3, 4, 5))) == 3
    assert len(pooled("kernel_w: 2 stride_w: 2 pad_w: 1 pad_h: 0", line(1, 2, 3, 4))) == 3
    assert len(pooled("kernel_w: 2 stride_w: 3 pad_w: 1 pad_h: 0", line(1, 2, 3, 4, 5))) == 2


def test_a_window_wholly_outside_has_no_maximum_and_no_mean() -> None:
    x = line(1, 2, 3, 4, 5, 6)
    assert pooled("kernel_w: 1 stride_w: 2", x) == [1, 3, 5, LEAST]
    mean = pooled("kernel_w: 1 stride_w: 2 pool: AVE", x)
    assert mean[:3] == [1, 3, 5]
    assert math.isnan(mean[3])
    it = subject(layer("kernel_h: 1 stride_h: 1 kernel_w: 1 stride_w: 2", 'top: "m"'), x=x)
    assert it.forward()[1].flatten().tolist() == [0, 2, 4, -1]


@pytest.mark.parametrize("far", [10, 1000, 2147483647])
def test_windows_far_beyond_the_bottom(far: int) -> None:
    """They take no memory; Caffe divides the sum of nothing by a negative number of elements."""
    x = line(1, 2, 3, 4, 5, 6)
    assert pooled(f"kernel_w: 1 stride_w: {far}", x) == [1, LEAST]
    assert list(map(str, pooled(f"kernel_w: 1 stride_w: {far} pool: AVE", x))) == ["1.0", "-0.0"]
    assert pooled(f"kernel_w: {far} stride_w: {far}", x) == [6]
    assert pooled(f"kernel_w: {far} stride_w: {far} pool: AVE", x) == [3.5]
    assert pooled(f"kernel_w: {far} stride_w: {far} pad_w: 2 pad_h: 0 pool: AVE", x) == pytest.approx([2.1])


def test_a_mean_counts_the_padding_inside_the_padded_bottom() -> None:
    """The divisor of a border window counts its padding, but not what lies beyond the padding."""
    assert pooled("kernel_w: 3 stride_w: 3 pad_w: 1 pad_h: 0 pool: AVE", line(3, 6, 9, 12)) == pytest.approx([3, 7])
    assert pooled("kernel_w: 3 stride_w: 2 pool: AVE", line(3, 6, 9, 12)) == pytest.approx([6, 10.5])


def test_of_equal_maxima_the_first_gets_the_gradient() -> None:
    text = layer("kernel_h: 1 stride_h: 1 kernel_w: 3 stride_w: 1")
    assert gradients(text, x=line(7, 7, 7, 7))[0].flatten().tolist() == [1, 1, 0, 0]


def test_nan_and_minus_infinity_never_win() -> None:
    nan, inf = math.nan, math.inf
    assert pooled(ROW, line(nan, 1, nan, nan, nan)) == [1, LEAST]
    assert pooled(ROW, line(-inf, -inf, -inf, 2, inf)) == [LEAST, inf]
    assert pooled(ROW, line(LEAST, LEAST, LEAST, 0, 0)) == [LEAST, 0]


def test_a_window_without_a_maximum_has_no_gradient() -> None:
    text = layer("kernel_h: 1 stride_h: 1 kernel_w: 3 stride_w: 2")
    assert gradients(text, x=line(math.nan, math.nan, math.nan, 2, 1))[0].flatten().tolist() == [0, 0, 0, 1, 0]


@pytest.mark.parametrize("pool", ["MAX", "AVE"])
def test_channels_last_stays(pool: str) -> None:
    for fields in ("kernel_size: 2", "kernel_size: 3 pad: 2"):
        x = torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last)
        (y,) = tops(layer(f"{fields} pool: {pool}"), x=x)
        assert y.is_contiguous(memory_format=torch.channels_last)


def test_stochastic_is_refused_on_the_cpu() -> None:
    for phase in (TRAIN, TEST):
        assert "STOCHASTIC pooling is not implemented on the CPU" in refusal(
            layer("pool: STOCHASTIC kernel_size: 2"), phase=phase, x=(1, 1, 2, 2)
        )


def test_stochastic_runs_on_another_device() -> None:
    it = subject(layer("pool: STOCHASTIC kernel_size: 2 stride: 2"), x=(2, 3, 5, 4))
    (y,) = it.layer.forward([it.bottoms()[0].to("meta")], [], it.run())
    assert y.shape == it.graph.values[-1].shape == (2, 3, 3, 2)


def test_stochastic_draws_by_value_and_tests_by_the_weighted_mean() -> None:
    x = line(1, 3, 0, 0, 5, 5).expand(2000, 1, 1, 6)
    drawn = stochastic_pool(x, (1, 2), (1, 2), (1, 3), train=True)
    assert set(drawn[..., 0].flatten().tolist()) == {1, 3}
    assert drawn[..., 0].mean() == pytest.approx(2.5, abs=0.1)
    assert drawn[..., 1].abs().sum() == 0
    assert stochastic_pool(x[:1], (1, 2), (1, 2), (1, 3), train=False).flatten().tolist() == [2.5, 0, 5]


def test_stochastic_gradients_go_where_the_value_was_drawn() -> None:
    x = line(1, 3, 2, 2).requires_grad_()
    y = stochastic_pool(x, (1, 2), (1, 2), (1, 2), train=True)
    (dx,) = torch.autograd.grad(y.sum(), x)
    assert torch.equal((dx * x).reshape(2, 2).sum(1), y.flatten())
    mean = line(1, 3, 2, 2).double().requires_grad_()
    assert torch.autograd.gradcheck(lambda t: stochastic_pool(t, (1, 2), (1, 2), (1, 2), train=False), [mean])


def test_refusals() -> None:
    x = (1, 1, 4, 4)
    assert "neither given" in refusal(layer(""), x=x)
    assert "both given" in refusal(layer("kernel_size: 2 kernel_h: 2 kernel_w: 2"), x=x)
    assert "kernel size is (0, 0)" in refusal(layer("kernel_size: 0"), x=x)
    assert "stride is (0, 0)" in refusal(layer("kernel_size: 2 stride: 0"), x=x)
    assert "a pad smaller than the kernel" in refusal(layer("kernel_size: 2 pad: 2"), x=x)
    assert "global_pooling is true and a kernel size is given" in refusal(layer("global_pooling: true kernel_size: 2"), x=x)
    assert "needed: stride 1 and pad 0" in refusal(layer("global_pooling: true stride: 2"), x=x)
    assert "pad is (1, 1) with STOCHASTIC" in refusal(layer("pool: STOCHASTIC kernel_size: 2 pad: 1"), x=x)
    assert "which only MAX pooling has" in refusal(layer("pool: AVE kernel_size: 2", 'top: "m"'), x=x)
    assert "pad_h given; needed" in refusal(layer("kernel_size: 2 pad_h: 1"), x=x)
    assert "bottom has 3 axes" in refusal(layer("kernel_size: 2"), x=(1, 2, 3))
    assert "kernel_size_3d is given 3 times for 2 spatial axes" in refusal(layer("kernel_size_3d: [1, 1, 1]"), x=x)
    assert "finds no window" in refusal(layer("kernel_size: 9 round_mode: FLOOR"), x=x)


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize(
    ("size", "kernel", "stride", "pad", "pooled"),
    [
        ((8, 9), (3, 3), (2, 2), (0, 0), (4, 4)),
        ((8, 9), (3, 3), (1, 1), (1, 1), (8, 9)),
        ((7, 5), (2, 3), (2, 1), (1, 0), (4, 3)),
        ((2, 2), (3, 3), (2, 2), (1, 1), (2, 2)),
        ((6, 6), (1, 2), (1, 3), (0, 0), (6, 2)),
    ],
)
def test_maxima_by_axes(
    size: tuple[int, int],
    kernel: tuple[int, int],
    stride: tuple[int, int],
    pad: tuple[int, int],
    pooled: tuple[int, int],
    layout: torch.memory_format,
) -> None:
    x = torch.randn(2, 3, *size, generator=torch.Generator().manual_seed(1)).contiguous(memory_format=layout)
    expected, _ = max_pool(x, kernel, stride, pad, pooled)
    found = maxima_by_axes(x, kernel, stride, pad, pooled)
    assert torch.equal(found, expected)
    assert found.is_contiguous(memory_format=layout)


def test_large_bottoms_in_test_nets() -> None:
    x = torch.randn(2, 32, 40, 30, generator=torch.Generator().manual_seed(2))
    for fields, kernel, stride, pad in (("kernel_size: 3 stride: 2", 3, 2, 0), ("kernel_size: 3 pad: 1", 3, 1, 1)):
        (y,) = subject(layer(fields), phase=TEST, x=x).prepared()
        assert torch.equal(y, torch.nn.functional.max_pool2d(x, kernel, stride, pad, ceil_mode=True))
    x[0, 0, :2, :2] = math.nan
    (y,) = subject(layer("kernel_size: 2 stride: 2"), phase=TEST, x=x).prepared()
    assert y[0, 0, 0, 0] == LEAST


def test_a_volume_with_less_planes_than_the_kernel_and_padding_around_them() -> None:
    check_layer(layer("pool: AVE kernel_size: 2 stride: 3 pad: 1"), x=(2, 2, 6, 7, 1))


def test_other_axes_than_at_first() -> None:
    it = subject(layer("kernel_size: 2"), x=(1, 2, 4, 4))
    with pytest.raises(LayerError, match="bottom has 3 spatial axes; needed: 2, as at the start"):
        it.layer.reshape([(1, 2, 4, 4, 4)])


@pytest.mark.parametrize("short", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("pool", ["MAX", "AVE"])
def test_16_bits_hold_what_a_window_has_and_not_always_its_sum(pool: str, short: torch.dtype) -> None:
    it = subject(layer(f"global_pooling: true pool: {pool}"), x=(1, 2, 300, 300))
    large = torch.full((1, 2, 300, 300), 60000.0, dtype=short)
    for forward in (it.layer.forward, it.layer.prepared([tuple(large.shape)])):
        (y,) = forward([large], [], it.run())
        assert y.dtype == short
        assert y.flatten().tolist() == pytest.approx([float(large[0, 0, 0, 0])] * 2, rel=0.01)


@pytest.mark.parametrize("short", [torch.float16, torch.bfloat16])
def test_16_bits_by_windows(short: torch.dtype) -> None:
    nothing, shape = torch.finfo(short).min, ((3, 3), (3, 3), (2, 2), (3, 3))
    x = torch.full((1, 1, 5, 5), 60000.0, dtype=short)
    assert average_pool(x, *shape)[0, 0, 1, 1] == x[0, 0, 0, 0]
    y, mask = max_pool(torch.full_like(x, math.nan), *shape)
    assert (y == nothing).all()
    assert mask.dtype == torch.float32
    wide = torch.arange(300.0).to(short).view(1, 1, 1, 300)
    assert max_pool(wide, (1, 300), (1, 1), (0, 0), (1, 1))[1].item() == float(wide.float().argmax())
    assert stochastic_pool(x, (5, 5), (1, 1), (1, 1), train=False).item() == float(x[0, 0, 0, 0])
    assert stochastic_pool(x, (5, 5), (1, 1), (1, 1), train=True).item() == float(x[0, 0, 0, 0])


@pytest.mark.parametrize("short", [torch.float16, torch.bfloat16])
def test_16_bits_with_nan_and_infinities(short: torch.dtype) -> None:
    x = torch.tensor([[[[math.nan, -math.inf, 2.0, math.inf]]]], dtype=short)
    it = subject(layer("kernel_h: 1 kernel_w: 2 stride_h: 1 stride_w: 2"), x=x.float())
    assert it.layer.forward([x], [], it.run())[0].flatten().tolist() == [torch.finfo(short).min, math.inf]


@pytest.mark.parametrize("fields", ["pool: AVE avg_include_pad: false", "pool: AVE_EXC_PAD", "pool: AVE_TF"])
@pytest.mark.parametrize(
    "window", [f"kernel_size: {sizes}" for sizes in ("3 stride: 2 pad: 1", "3 stride: 2 pad: 2", "4 stride: 3 pad: 3")]
)
def test_padding_that_does_not_count(fields: str, window: str) -> None:
    text = layer(f"{window} {fields}")
    it = check_layer(text, x=(2, 2, 5, 4))
    x = it.bottoms()[0]
    y = it.forward()[0]
    kernel, stride, pad = (int(n) for n in window.split()[1::2])
    for row in range(y.shape[2]):
        for column in range(y.shape[3]):
            rows = range(max(0, row * stride - pad), min(5, row * stride - pad + kernel))
            columns = range(max(0, column * stride - pad), min(4, column * stride - pad + kernel))
            part = x[:, :, rows.start : rows.stop, columns.start : columns.stop]
            torch.testing.assert_close(y[:, :, row, column], part.mean((2, 3)))
