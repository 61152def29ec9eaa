"""Mean and variance normalisation of each image."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run, Shape, count
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory, Quirks


class _Normalise(torch.autograd.Function):
    """Rows to mean 0 and deviation 1.

    The gradient treats eps as part of the deviation throughout, as Caffe's does. In place Caffe's
    gradient overwrites the top's, which it is then taken from; what is left of it is one term,
    twice.
    """

    @staticmethod
    def forward(ctx: Context, x: Tensor, eps: float, in_place: bool) -> Tensor:
        y = _centred(x)
        deviation = y.square().mean(1, keepdim=True).sqrt_().add_(eps)
        y.div_(deviation)
        ctx.save_for_backward(y, deviation)
        ctx.in_place = in_place
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None, None]:
        y, deviation = ctx.saved_tensors
        shared = y * (dy * y).mean(1, keepdim=True)
        dx = shared * -2 if ctx.in_place else dy - dy.mean(1, keepdim=True) - shared
        return dx.div_(deviation), None, None


def _centred(x: Tensor) -> Tensor:
    """Each row less its mean. A mean of 0 is added as 0, so that -0 becomes 0, as in Caffe."""
    return x + (0 - x.mean(1, keepdim=True))


@register_layer("MVN")
class MVNLayer(NeuronLayer):
    """(x - mean) / (standard deviation + eps) of each channel of each item.  Caffe type ``MVN``.

    Bottom: (N, C, H, W) float, or fewer axes.
    Top:    (N, C, H, W) float: always 4 axes, those that the bottom lacks of length 1. It may be
            the bottom, but then it has as many as that, and with normalize_variance the gradient is
            not the derivative, as in Caffe: -2 * y * mean(dy * y) / (deviation + eps).
    Params: none
    Proto:  mvn_param { normalize_variance, across_channels (statistics of a whole item), eps }
    Differs from torch: instance_norm adds eps to the variance; here it is added to the deviation.
    Source: BVLC Caffe, mvn_layer
    """

    memory = Memory(saves_top=True)
    quirks = Quirks(always_written=(0,))

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        shape = bottoms[0]
        if len(shape) > 4:
            raise self.fail(
                f"bottom has {len(shape)} axes; needed: at most 4 (number, channels, height, width)"
            )
        self.shape = shape if self.in_place else (*shape, *(1,) * (4 - len(shape)))
        return (self.shape,)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        p = self.param.mvn_param
        x = bottoms[0]
        axis = 1 if p.across_channels else 2
        flat = x.reshape(count(x.shape, 0, axis), count(x.shape, axis))
        y = (
            apply(_Normalise, flat, float(p.eps), self.in_place)
            if p.normalize_variance
            else _centred(flat)
        )
        return (y.view(self.shape),)
