"""How long the vectors at each place are."""

# N batch, C channels, H W

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Layer, Run, Shape
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory

EPS = 1e-9


class _Length(torch.autograd.Function):
    """The gradient of a vector of length 0 is 0."""

    @staticmethod
    def forward(ctx: Context, x: Tensor) -> Tensor:
        length = x.square().sum(1, keepdim=True).sqrt_()
        ctx.save_for_backward(x, length)
        return length

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> Tensor:
        x, length = ctx.saved_tensors
        dx: Tensor = dy * x / (length + EPS)
        return dx


@register_layer("ChannelNorm")
class ChannelNormLayer(Layer):
    """sqrt(sum of squares) over the channels.  Caffe type ``ChannelNorm``.

    Bottom: (N, C, H, W) float, or fewer axes.
    Top:    (N, 1, H, W) float, 1 for axes that the bottom lacks.
    Params: none
    Proto:  none
    Differs from torch: the gradient of zeros is 0.
    Source: FlowNet2, channel_norm_layer
    """

    memory = Memory(saves_top=True)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        if len(bottoms[0]) > 4:
            raise self.fail(
                f"bottom has {len(bottoms[0])} axes; needed: at most 4 (number, channels, height,"
                " width)"
            )
        batch, _, *plane = (*bottoms[0], 1, 1, 1)[:4]
        return ((batch, 1, *plane),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        x = bottoms[0]
        return (apply(_Length, x.reshape(*x.shape, *(1,) * (4 - x.dim()))),)
