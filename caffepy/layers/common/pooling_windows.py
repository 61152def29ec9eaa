"""Pooling by explicit windows: slow, and for every case.

Any padding, any number of axes, and every oddity of Caffe's rules.
"""

# N batch, C channels, I... spatial input, P... pooled output, K... kernel

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.core.base import Shape, count
from caffepy.layers.core.half import least, wide


def windows(
    x: Tensor, kernel: Shape, stride: Shape, pad: Shape, pooled: Shape, *, value: float
) -> Tensor:
    """The ``pooled`` windows of ``x`` (N, C, I...), with ``value`` outside of it.

    (N, C, P..., K), K elements in row order.
    """
    edges = []
    for n, k, s, p, windows in zip(x.shape[2:], kernel, stride, pad, pooled):
        edges.append((p, (windows - 1) * s + k - p - n))
    x = F.pad(x, [n for edge in reversed(edges) for n in edge], value=value)
    for axis, (k, s) in enumerate(zip(kernel, stride), start=2):
        x = x.unfold(axis, k, s)
    return x.flatten(2 + len(kernel))


def max_pool(
    x: Tensor, kernel: Shape, stride: Shape, pad: Shape, pooled: Shape
) -> tuple[Tensor, Tensor]:
    """Maximum of each window and its index in the bottom's spatial plane, as `wide` numbers.

    The first of equals wins; NaN, -inf and -FLT_MAX never do: a window of nothing else gives
    -FLT_MAX, index -1, no gradient.
    """
    layout = memory_format(x)
    nothing = least(x.dtype)
    with torch.no_grad():
        plain = torch.nan_to_num(x, nan=nothing, neginf=nothing, posinf=torch.inf)
        best, place = windows(plain, kernel, stride, pad, pooled, value=nothing).max(-1)
        index = torch.zeros_like(place)
        step = count(kernel)
        for axis, (k, s, p, n, size) in enumerate(zip(kernel, stride, pad, pooled, x.shape[2:])):
            step //= k
            starts = torch.arange(n, device=x.device) * s - p
            at = place // step % k + starts.view(-1, *(1,) * (len(kernel) - axis - 1))
            index = index * size + at
        empty = best <= nothing
    index = index.masked_fill(empty, 0)
    chosen = x.flatten(2).gather(2, index.flatten(2)).view_as(index)
    top = torch.where(empty, torch.full_like(chosen, nothing), chosen).contiguous(
        memory_format=layout
    )
    return top, index.masked_fill(empty, -1).to(wide(x.dtype))


def maxima_by_axes(x: Tensor, kernel: Shape, stride: Shape, pad: Shape, pooled: Shape) -> Tensor:
    """Maximum of each window, NaN where there is one, found along one axis after the other.

    For the CPU, without gradient.
    """
    y = x
    for axis, figures in enumerate(zip(kernel, stride, pad, pooled), start=2):
        y = _maxima(y, axis, *figures)
    return y


def _maxima(x: Tensor, axis: int, kernel: int, stride: int, pad: int, pooled: int) -> Tensor:
    """Along one axis: the elements at one place of all windows at once, then those at the next."""
    parts: list[tuple[int, int, Tensor]] = []
    for place in range(kernel):
        first = max(0, -(-(pad - place) // stride))
        last = min(pooled - 1, (x.shape[axis] - 1 + pad - place) // stride)
        if first <= last:
            start = first * stride + place - pad
            parts.append(
                (
                    first,
                    last + 1 - first,
                    x[
                        (slice(None),) * axis
                        + (slice(start, start + (last - first) * stride + 1, stride),)
                    ],
                )
            )
    parts.sort(key=lambda part: -part[1])
    y = torch.empty(
        (*x.shape[:axis], pooled, *x.shape[axis + 1 :]),
        dtype=x.dtype,
        memory_format=memory_format(x),
    )
    if len(parts) > 1 and parts[1][1] == pooled:
        torch.maximum(parts[0][2], parts[1][2], out=y)
        del parts[:2]
    else:
        y.fill_(-torch.inf)
    for first, number, maxima in parts:
        some = y.narrow(axis, first, number)
        torch.maximum(some, maxima, out=some)
    return y


def divisor(
    x: Tensor, kernel: Shape, stride: Shape, pad: Shape, pooled: Shape, *, counts_pad: bool = True
) -> Tensor:
    """Elements of each window that lie in the bottom or its padding (P...).

    Of one beyond both, the distance, negative, as in Caffe. Without ``counts_pad``, only elements
    of the bottom count, and a window beyond it has none.
    """
    total = torch.ones((), dtype=wide(x.dtype), device=x.device)
    for k, s, p, n, size in zip(kernel, stride, pad, pooled, x.shape[2:]):
        start = torch.arange(n, device=x.device) * s - p
        if counts_pad:
            length = (start + k).clamp(max=size + p) - start
        else:
            length = ((start + k).clamp(max=size) - start.clamp(min=0)).clamp(min=0)
        total = total.unsqueeze(-1) * length.to(total.dtype)
    return total


def average_pool(
    x: Tensor, kernel: Shape, stride: Shape, pad: Shape, pooled: Shape, *, counts_pad: bool = True
) -> Tensor:
    """Sum of each window by its part inside bottom and padding, or inside the bottom alone.

    0/0 = NaN where that is nothing, 0/-1 = -0 further away.
    """
    total = windows(x, kernel, stride, pad, pooled, value=0.0).sum(-1, dtype=wide(x.dtype))
    return (
        (total / divisor(x, kernel, stride, pad, pooled, counts_pad=counts_pad))
        .to(x.dtype)
        .contiguous(memory_format=memory_format(x))
    )


def stochastic_pool(
    x: Tensor, kernel: Shape, stride: Shape, pooled: Shape, *, train: bool
) -> Tensor:
    """TRAIN: one element drawn with probability by its value; TEST: the mean weighted by value.

    Bottoms are taken as >= 0.
    """
    patches = windows(x, kernel, stride, (0,) * len(kernel), pooled, value=0.0)
    total = patches.sum(-1, dtype=wide(x.dtype))
    if not train:
        squares = patches.to(total.dtype).square().sum(-1)
        return (squares / total.clamp(min=torch.finfo(total.dtype).tiny)).to(x.dtype)
    with torch.no_grad():
        drawn = torch.rand_like(total) * total
        place = (
            (patches.cumsum(-1, dtype=total.dtype) < drawn.unsqueeze(-1))
            .sum(-1, keepdim=True)
            .clamp(max=patches.shape[-1] - 1)
        )
    return patches.gather(-1, place).squeeze(-1)


def memory_format(x: Tensor) -> torch.memory_format:
    """The layout that a top of ``x`` should have."""
    if (
        x.dim() == 4
        and x.is_contiguous(memory_format=torch.channels_last)
        and not x.is_contiguous()
    ):
        return torch.channels_last
    return torch.contiguous_format
