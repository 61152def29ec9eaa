"""Pooling by Caffe's rules where torch's differ."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor


def caffe_windows(
    size: int,
    kernel: int,
    stride: int,
    pad: int,
    padded: bool,
    ceil_mode: bool = True,
) -> int:
    """How many windows Caffe pools along an axis.

    The number is rounded up; with any padding no window begins behind the picture.
    """
    room = size + 2 * pad - kernel
    windows = (-(-room // stride) if ceil_mode else room // stride) + 1
    return windows - 1 if padded and (windows - 1) * stride >= size + pad else windows


def caffe_max_pool(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int],
    pad: Sequence[int],
    ceil_mode: bool = True,
) -> Tensor:
    """Maxima of Caffe's windows, which may lie outside of the picture: -FLT_MAX there."""
    for axis, (k, s, p) in enumerate(zip(kernel, stride, pad), start=2):
        pooled = caffe_windows(x.shape[axis], k, s, p, any(pad), ceil_mode)
        end = max(0, (pooled - 1) * s + k - p - x.shape[axis])
        edges = [0, 0] * (x.dim() - 1 - axis) + [p, end]
        x = F.pad(x, edges, value=torch.finfo(torch.float32).min)
        x = x.unfold(axis, k, s).narrow(axis, 0, pooled).amax(-1)
    return x


def caffe_avg_pool(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int],
    pad: Sequence[int],
    ceil_mode: bool = True,
) -> Tensor:
    """Sums of Caffe's windows by their part inside picture and padding, which counts."""
    for axis, (k, s, p) in enumerate(zip(kernel, stride, pad), start=2):
        size = x.shape[axis]
        pooled = caffe_windows(size, k, s, p, any(pad), ceil_mode)
        edges = [0, 0] * (x.dim() - 1 - axis) + [p, max(0, (pooled - 1) * s + k - p - size)]
        total = F.pad(x, edges).unfold(axis, k, s).narrow(axis, 0, pooled).sum(-1)
        start = torch.arange(pooled, device=x.device) * s - p
        length = (start + k).clamp(max=size + p) - start
        x = total / length.view(-1, *[1] * (x.dim() - 1 - axis))
    return x


def as_floats(pooled: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """Maxima, and their places as floats, which Caffe's masks are."""
    return pooled[0], pooled[1].to(pooled[0].dtype)


def unpool(x: Tensor, mask: Tensor, size: Sequence[int]) -> Tensor:
    """Each value at the place in its plane that a pooling's mask tells, zeros elsewhere."""
    planes = x.new_zeros(*x.shape[:2], size[0] * size[1])
    return planes.scatter(2, mask.flatten(2).long(), x.flatten(2)).view(*x.shape[:2], *size)
