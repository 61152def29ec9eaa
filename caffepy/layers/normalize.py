"""Vectors of a length that is learned."""

# N batch, C channels, I... the other axes

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from caffepy.layers.autograd import apply
from caffepy.layers.base import BlobSpec, Run, Shape
from caffepy.layers.neuron import ChannelLayer
from caffepy.layers.registry import register_layer


class _Normalize(torch.autograd.Function):
    """Times a scale that broadcasts. The gradient's part along the vector is taken before the scale comes in, as in SSD."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, scale: Tensor, axes: list[int], eps: float) -> Tensor:
        lengths = x.square().sum(axes, keepdim=True).add_(eps).sqrt_()
        direction = x / lengths
        ctx.save_for_backward(direction, lengths, scale)
        ctx.axes = axes
        y: Tensor = direction * scale
        return y

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        direction, lengths, scale = ctx.saved_tensors
        along = direction * dy
        dx = (dy - direction * along.sum(ctx.axes, keepdim=True)).div_(lengths).mul_(scale)
        return dx, along.sum_to_size(scale.shape), None, None


@register_layer("Normalize")
class NormalizeLayer(ChannelLayer):
    """x / sqrt(sum of squares + eps), times a learned scale.  Caffe type ``Normalize``.

    Bottom: (N, C, I...) float.
    Top:    (N, C, I...) float; the sum is over a whole item, or with across_spatial false over the channels of one place.
    Params: scale (), or (C,) with channel_shared false; 1 unless a filler is given
    Proto:  norm_param { across_spatial, scale_filler, channel_shared, eps }
    Differs from torch: torch.nn.functional.normalize takes the larger of norm and eps; here eps is added under the root.
            With a scale for each channel the gradient is SSD's, which is not quite that of the formula.
    Source: SSD, normalize_layer; Liu et al. 2015 (ParseNet)
    """

    fork_fields = frozenset({"LayerParameter.norm_param"})

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """The scale's blob."""
        p = self.param.norm_param
        super().setup(bottoms)
        self.eps = float(p.eps)
        filler = p.scale_filler if p.HasField("scale_filler") else None
        self.blobs = (BlobSpec(() if p.channel_shared else (self.channels,), filler, constant=1.0),)

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """A new tensor."""
        x, scale = bottoms[0], blobs[0]
        axes = list(range(1, x.dim())) if self.param.norm_param.across_spatial else [1]
        scale = scale.reshape(1, -1, *(1,) * (x.dim() - 2))
        return (apply(_Normalize, x, scale, axes, self.eps),)
