"""Convolution of large maps on processors without AVX-512.

With the kernels of AVX2, oneDNN computes the gradient of the weights 1.4 to 4 times slower where
channels lie last, if an item is larger than a second cache; all else is as fast
(tools/bench/NOTES.md).
"""

# N batch, C channels, H W map, O outputs, PH PW top, KH KW kernel

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Shape, count, is_readable

LEAST_ITEM = 1 << 18
"""Elements of an item from which on copying bottom and diff is repaid."""
LEAST_CHANNELS = 16
"""Pictures of fewer are read fast in either order, and the copy of the diff is the larger part."""


def learns_by_maps(bottom: Shape, kernel: Shape, group: int) -> bool:
    """Whether `convolve_maps` is faster than torch's convolution of a ``bottom`` (N, C, H, W)."""
    return (
        len(kernel) == 2
        and count(kernel) > 1
        and group == 1
        and bottom[1] >= LEAST_CHANNELS
        and count(bottom, 1) >= LEAST_ITEM
        and torch.backends.cpu.get_cpu_capability() == "AVX2"
    )


def convolve_maps(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    pad: Sequence[int],
    dilation: Sequence[int],
    group: int,
) -> Tensor:
    """``F.conv2d`` of a group of 1; the gradient of the weights from contiguous copies."""
    if torch.is_grad_enabled() and is_readable(x) and x.dtype == weight.dtype == torch.float32:
        y: Tensor = apply(_Convolve, x, weight, bias, stride, pad, dilation)
        return y
    return F.conv2d(x, weight, bias, stride, pad, dilation, group)


class _Convolve(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Context,
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        stride: Sequence[int],
        pad: Sequence[int],
        dilation: Sequence[int],
    ) -> Tensor:
        """(N, C, H, W), (O, C, KH, KW), (O,) → (N, O, PH, PW)."""
        ctx.save_for_backward(x, weight)
        ctx.windows = stride, pad, dilation
        return F.conv2d(x, weight, bias, *ctx.windows)

    @staticmethod
    def backward(ctx: Context, diff: Tensor) -> tuple[Tensor | None, ...]:
        """(N, O, PH, PW) → (N, C, H, W), (O, C, KH, KW), (O,)."""
        x, weight = ctx.saved_tensors
        to_x, to_weight, to_bias = ctx.needs_input_grad[:3]

        def gradients(*tensors: Tensor, wanted: Sequence[bool]) -> tuple[Tensor | None, ...]:
            found: tuple[Tensor | None, ...] = torch.ops.aten.convolution_backward(
                *tensors, [len(weight)], *ctx.windows, False, [0, 0], 1, wanted
            )
            return found

        below: Tensor | None = None
        own: Sequence[Tensor | None] = (None, None)
        if to_x:
            below, *_ = gradients(diff, x, weight, wanted=(True, False, False))
        if to_weight or to_bias:
            maps = (each.contiguous() for each in (diff, x, weight))
            _, *own = gradients(*maps, wanted=(False, to_weight, to_bias))
        return below, *own, None, None, None
