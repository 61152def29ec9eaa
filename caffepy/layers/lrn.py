"""Local response normalisation."""

# N batch, C channels, H W; n = local_size

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.autograd import apply
from caffepy.layers.base import Run, Shape
from caffepy.layers.neuron import NeuronLayer, check_engine
from caffepy.layers.registry import register_layer
from caffepy.proto import caffe_pb2

WITHIN_CHANNEL = caffe_pb2.LRNParameter.NormRegion.Value("WITHIN_CHANNEL")


def _window_sum(x: Tensor, half: int) -> Tensor:
    """Sum of each channel of ``x`` and ``half`` neighbours on either side; slices added in place keep any memory layout."""
    total = x.clone()
    for shift in range(1, min(half, x.shape[1] - 1) + 1):
        total[:, shift:].add_(x[:, :-shift])
        total[:, :-shift].add_(x[:, shift:])
    return total


def _negative_power(scale: Tensor, beta: float) -> Tensor:
    """scale ** -beta; the usual 0.75 by square roots, which cost a fraction of a power."""
    if beta == 0.75:
        root = scale.rsqrt()
        return root.mul_(root.sqrt())
    return scale.pow(-beta)


class _LRN(torch.autograd.Function):
    """Normalisation across channels; keeps the bottom and the scale."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, size: int, alpha: float, beta: float, k: float) -> Tensor:
        scale = _window_sum(x.square(), size // 2).mul_(alpha / size).add_(k)
        ctx.save_for_backward(x, scale)
        ctx.size, ctx.alpha, ctx.beta = size, alpha, beta
        return _negative_power(scale, beta).mul_(x)

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        x, scale = ctx.saved_tensors
        dx = _negative_power(scale, ctx.beta).mul_(dy)
        ratio = (dx * x).div_(scale)  # dy * y / scale
        shared = _window_sum(ratio, ctx.size // 2).mul_(x)
        return dx.add_(shared, alpha=-2 * ctx.alpha * ctx.beta / ctx.size), None, None, None, None


@register_layer("LRN")
class LRNLayer(NeuronLayer):
    """Each value divided by a power of the squares around it.  Caffe type ``LRN``.

    Bottom: (N, C, H, W) float.
    Top:    (N, C, H, W) float. ACROSS_CHANNELS: x * (k + alpha/local_size * sum over local_size channels of x^2) ^ -beta.
            WITHIN_CHANNEL: x * (1 + alpha * mean over local_size x local_size of x^2) ^ -beta; k is ignored, the mean is that of
            average pooling, whose windows count their padding.
    Params: none
    Proto:  lrn_param { local_size (odd), alpha, beta, k, norm_region, engine }
    Differs from torch: torch.nn.functional.local_response_norm has no WITHIN_CHANNEL and is several times slower.
    Source: BVLC Caffe, lrn_layer; Krizhevsky et al. 2012
    """

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Read the fields."""
        p = self.param.lrn_param
        check_engine(self, p)
        self.size, self.alpha, self.beta, self.k = int(p.local_size), float(p.alpha), float(p.beta), float(p.k)
        if self.size % 2 == 0:
            raise self.fail(f"local_size is {self.size}; needed: an odd number")
        self.within = p.norm_region == WITHIN_CHANNEL

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the bottom's shape."""
        if len(bottoms[0]) != 4:
            raise self.fail(f"bottom has {len(bottoms[0])} axes; needed: 4 (number, channels, height, width)")
        return (bottoms[0],)

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """Across channels by an autograd function, within them by average pooling."""
        x = bottoms[0]
        if not self.within:
            return (apply(_LRN, x, self.size, self.alpha, self.beta, self.k),)
        mean = F.avg_pool2d(x.square(), self.size, 1, self.size // 2, count_include_pad=True)
        return (x * mean.mul(self.alpha).add(1).pow(-self.beta),)
