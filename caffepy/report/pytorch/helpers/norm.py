"""Normalisations by Caffe's rules where torch's differ."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def lrn_within_channel(x: Tensor, size: int, alpha: float, beta: float) -> Tensor:
    """Local response normalisation over a window of the plane (WITHIN_CHANNEL)."""
    mean = F.avg_pool2d(x * x, size, stride=1, padding=size // 2)
    return x * torch.pow(1 + alpha * mean, -beta)


def mvn(x: Tensor, axis: int, eps: float) -> Tensor:
    """Mean 0 and deviation 1 over the axes from ``axis`` on.

    eps is added to the deviation, not to the variance.
    """
    axes = tuple(range(axis, x.dim()))
    y = x - x.mean(axes, keepdim=True)
    return y / (y.square().mean(axes, keepdim=True).sqrt() + eps)


class Normalize(nn.Module):
    """Vectors of length 1 times a learned scale (SSD).

    A vector is the channels of a place, or with ``across_spatial`` a whole item.
    """

    def __init__(self, channels: int, across_spatial: bool = False, eps: float = 1e-10) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.across_spatial, self.eps = across_spatial, eps

    def forward(self, x: Tensor) -> Tensor:
        axes = tuple(range(1, x.dim())) if self.across_spatial else (1,)
        length = (x.square().sum(axes, keepdim=True) + self.eps).sqrt()
        return x / length * self.weight.view(1, -1, *[1] * (x.dim() - 2))


class FrozenBatchNorm(nn.Module):
    """Batch normalisation by stored statistics while training too (use_global_stats: true)."""

    running_mean: Tensor
    running_var: Tensor

    def __init__(self, channels: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels)) if affine else None
        self.bias = nn.Parameter(torch.zeros(channels)) if affine else None
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))

    def forward(self, x: Tensor) -> Tensor:
        mean, variance = self.running_mean, self.running_var
        return F.batch_norm(x, mean, variance, self.weight, self.bias, eps=self.eps)


class CountingBatchNorm(nn.BatchNorm2d):
    """Batch normalisation with momentum 1 / (1 + f + f^2 ...), a term for each batch so far."""

    factor: Tensor

    def __init__(self, channels: int, f: float = 0.999, eps: float = 1e-5, affine: bool = True):
        super().__init__(channels, eps, affine=affine)
        self.f = f
        self.register_buffer("factor", torch.zeros(1))

    def _check_input_dim(self, input: Tensor) -> None:
        """Any number of axes."""

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.momentum = 1 / self.factor.mul_(self.f).add_(1).item()
        return super().forward(x)


class BatchScale(nn.Module):
    """SegNet's BN for inference: a scale and a shift of each channel, statistics included."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x: Tensor) -> Tensor:
        shape = (1, -1, *[1] * (x.dim() - 2))
        return x * self.weight.view(shape) + self.bias.view(shape)
