"""Planes that are read between their pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor


def flow_warp(x: Tensor, flow: Tensor, fill: float = 0.0) -> Tensor:
    """Each pixel read where its flow (N, 2: right and down, H, W) points, bilinearly (FlowWarp).

    ``fill`` where that is outside; the last row and column reach a pixel further.
    """
    height, width = x.shape[2:]
    right = flow[:, 0] + torch.arange(width, device=x.device)
    down = flow[:, 1] + torch.arange(height, device=x.device).unsqueeze(1)
    inside = (right >= 0) & (down >= 0) & (right < width) & (down < height)
    right, down = torch.where(inside, right, 0), torch.where(inside, down, 0)
    item = torch.arange(len(x), device=x.device).view(-1, 1, 1)
    left, above = right.detach().long(), down.detach().long()
    near_x, near_y = (right - left).unsqueeze(3), (down - above).unsqueeze(3)
    behind, below = (left + 1).clamp(max=width - 1), (above + 1).clamp(max=height - 1)
    pixels = x.permute(0, 2, 3, 1)
    upper = pixels[item, above, left] * (1 - near_x) + pixels[item, above, behind] * near_x
    lower = pixels[item, below, left] * (1 - near_x) + pixels[item, below, behind] * near_x
    y = (upper * (1 - near_y) + lower * near_y).permute(0, 3, 1, 2)
    return torch.where(inside.unsqueeze(1), y, fill)


def whole_theta(theta: Tensor, given: Sequence[float | None]) -> Tensor:
    """Theta (N, 6) from the numbers that are ``given``, and for each None one of theta's."""
    learned = iter(theta.flatten(1).unbind(1))
    columns = [next(learned) if n is None else theta.new_full((len(theta),), n) for n in given]
    return torch.stack(columns, 1)


def spatial_transform(x: Tensor, theta: Tensor, height: int, width: int) -> Tensor:
    """A picture read through an affine map of each item (SpatialTransformer).

    The rows of theta (N, 6) times (h, w, 1) are h and w of the bottom, -1 at the first pixel and 1
    behind the last. Outside are zeros.
    """
    sides = [torch.arange(n, dtype=x.dtype, device=x.device) / n * 2 - 1 for n in (height, width)]
    h, w = torch.meshgrid(*sides, indexing="ij")
    places = torch.stack([h, w, torch.ones_like(h)], 2) @ theta.view(-1, 1, 2, 3).transpose(2, 3)
    size = places.new_tensor([x.shape[3], x.shape[2]])
    pixel = (places.flip(3) + 1) / 2 * size
    return F.grid_sample(x, (2 * pixel + 1) / size - 1, padding_mode="zeros", align_corners=False)


def correlation(
    a: Tensor,
    b: Tensor,
    kernel: int,
    displacement: int,
    pad: int = 0,
    stride_1: int = 1,
    stride_2: int = 1,
) -> Tensor:
    """Mean products of patches of a with those of b, moved (Correlation).

    A channel for each shift down, and among these right, by multiples of ``stride_2`` up to
    ``displacement``.
    """
    a, b = F.pad(a, (pad,) * 4), F.pad(b, (pad,) * 4)
    height, width = (n - 2 * displacement for n in a.shape[2:])
    reach = displacement // stride_2 * stride_2
    shifts = range(displacement - reach, displacement + reach + 1, stride_2)
    here = a[:, :, displacement : displacement + height, displacement : displacement + width]
    products = [
        (here * b[:, :, down : down + height, right : right + width]).mean(1, keepdim=True)
        for down in shifts
        for right in shifts
    ]
    return F.avg_pool2d(torch.cat(products, 1), kernel, stride_1)


def resample_weights(old: int, new: int, other: float, kind: str, antialias: bool) -> Tensor:
    """(new, old): what each pixel weighs in each place of an axis (FlowNet2's Resample).

    ``other``: old by new of the other axis, which shifts the places.
    """
    factor = old / new
    center = torch.arange(new) * factor + other / 2 - 0.5
    if kind == "NEAREST":
        return F.one_hot((center + 0.5).floor().long().clamp(0, old - 1), old).float()
    scale = 1 / factor if antialias and max(factor, other) > 1 else 1.0
    x = (scale * (center.unsqueeze(1) - torch.arange(old))).abs()
    if kind == "LINEAR":
        weights = (1 - x).clamp(min=0)
    else:
        near = x * x * (1.5 * x - 2.5) + 1
        beyond = x * (x * (2.5 - 0.5 * x) - 4) + 2
        weights = torch.where(x <= 1, near, torch.where(x < 2, beyond, 0.0))
    return (weights / weights.sum(1, keepdim=True)).nan_to_num()


def resample(x: Tensor, height: int, width: int, kind: str, antialias: bool = True) -> Tensor:
    """Planes resized by a LINEAR or CUBIC kernel or to the NEAREST pixel (FlowNet2's Resample).

    With ``antialias`` kernels are widened where planes become smaller. No derivative.
    """
    fy, fx = x.shape[2] / height, x.shape[3] / width
    rows = resample_weights(x.shape[2], height, fx, kind, antialias).to(x)
    columns = resample_weights(x.shape[3], width, fy, kind, antialias).to(x)
    return rows @ x.detach() @ columns.t()


def downsample_weights(old: int, new: int) -> Tensor:
    """(new, old): how near the pixels are to each place, corners being corners."""
    step = (old - 1) / (new - 1)
    center = torch.arange(new).unsqueeze(1) * step
    return (1 - (center - torch.arange(old)).abs() / step).clamp(min=0)


def downsample(x: Tensor, height: int, width: int) -> Tensor:
    """Means of the pixels around each place, without NaN (FlowNet2's Downsample).

    NaN where these have more than half the weight of the others. No derivative.
    """
    if tuple(x.shape[2:]) == (height, width):
        return x.detach().clone()
    rows = downsample_weights(x.shape[2], height).to(x)
    columns = downsample_weights(x.shape[3], width).to(x).t()
    missing = x.isnan().to(x)
    weight, lost = rows @ (1 - missing) @ columns, rows @ missing @ columns
    mean = rows @ x.detach().nan_to_num(0.0) @ columns / weight
    return torch.where(lost / weight > 0.5, math.nan, mean)
