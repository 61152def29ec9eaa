"""Vectors of a learned length, or of length 1, in the forms of two forks."""

# N batch, C channels, I... the other axes

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from caffepy.layers.common.neuron import ChannelLayer
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import BlobSpec, Run, Shape, between
from caffepy.layers.core.registry import register_layer

EPS, LEAST = 1e-6, 1e-12
"""NormFace's: for L1 and under a vector of zeros, as in its CPU code.

For L2 else, as in its GPU code.
"""


class _Normalize(torch.autograd.Function):
    """Times a scale that broadcasts.

    The gradient's part along the vector is taken before the scale comes in, as in SSD.
    """

    @staticmethod
    def forward(ctx: Context, x: Tensor, scale: Tensor, axes: list[int], eps: float) -> Tensor:
        lengths = x.square().sum(axes, keepdim=True).add_(eps).sqrt_()
        direction = x / lengths
        ctx.save_for_backward(direction, lengths, scale)
        ctx.axes = axes
        y: Tensor = direction * scale
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor | None, ...]:
        direction, lengths, scale = ctx.saved_tensors
        along = direction * dy
        dx = (dy - direction * along.sum(ctx.axes, keepdim=True)).div_(lengths).mul_(scale)
        return dx, along.sum_to_size(scale.shape), None, None


class _Lengthened(torch.autograd.Function):
    """What it is given; the gradient is multiplied by the length."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, length: Tensor) -> Tensor:
        ctx.save_for_backward(length)
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None]:
        (length,) = ctx.saved_tensors
        return dy * length, None


@register_layer("Normalize")
class NormalizeLayer(ChannelLayer):
    """x / sqrt(sum of squares + eps), times a learned scale or none.  Caffe type ``Normalize``.

    Bottom: (N, C, I...) float; NormFace: at most 4 axes.
    Top:    SSD: (N, C, I...) float; the sum is over a whole item, or with across_spatial false over
            the channels of one place. NormFace, that is with normalize_param or a second top, or
            without a field in a net with LabelSpecificAdd or with an InnerProduct that has
            normalize: (N, C, H, W), 1 for axes that the bottom lacks; the sum is over the channels,
            eps 1e-12, for a vector of zeros 1e-6; normalize_type L1: x / (sum of |x| + 1e-6). [1]
            (N, 1, H, W) what x is divided by.
    Params: SSD: scale (), or (C,) with channel_shared false; 1 unless a filler is given. NormFace:
            none
    Proto:  norm_param { across_spatial, scale_filler, channel_shared, eps } or normalize_param {
            normalize_type, bp_norm (the second top has a gradient), fix_gradient (it is not divided
            by the length) }
    Differs from torch: torch.nn.functional.normalize takes the larger of norm and eps; here eps is
            added under the root. With a scale for each channel the gradient is SSD's, which is not
            quite that of the formula.
    Source: SSD, normalize_layer; Liu et al. 2015 (ParseNet). happynear/caffe-windows,
            normalize_layer, by its GPU's eps and fix_gradient, zeros by its CPU's; Wang et al. 2017
            (NormFace)
    """

    fork_fields = frozenset({"LayerParameter.norm_param", "LayerParameter.normalize_param"})
    tops = between(1, 2)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p, unit = self.param.norm_param, self.param.normalize_param
        self.unit = self.param.HasField("normalize_param") or self.top_count > 1
        if self.unit:
            if self.param.HasField("norm_param"):
                raise self.fail(
                    "norm_param is given with normalize_param or a second top;"
                    " needed: SSD's fields or NormFace's, not both"
                )
            if unit.normalize_type not in {"L1", "L2"}:
                raise self.fail(f"normalize_type is '{unit.normalize_type}'; needed: L1 or L2")
            return
        super().setup(bottoms)
        self.eps = float(p.eps)
        filler = p.scale_filler if p.HasField("scale_filler") else None
        self.blobs = (BlobSpec(() if p.channel_shared else (self.channels,), filler, constant=1.0),)

    def weights_warning(self, trained: Sequence[Any]) -> str:
        """Weights of the other form."""
        if self.unit or trained:
            return ""
        return "NormFace's Normalize learns no scale: normalize_param { } says that it is meant"

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the bottom's shape; NormFace's four axes."""
        if not self.unit:
            return super().reshape(bottoms)
        if len(bottoms[0]) > 4:
            raise self.fail(
                f"bottom has {len(bottoms[0])} axes; needed: at most 4 (number, channels, height,"
                " width)"
            )
        batch, channels, *plane = self.shape = (*bottoms[0], 1, 1, 1)[:4]
        return ((batch, channels, *plane), (batch, 1, *plane))[: self.top_count]

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        if self.unit:
            return self._directions(bottoms[0])
        x, scale = bottoms[0], blobs[0]
        axes = list(range(1, x.dim())) if self.param.norm_param.across_spatial else [1]
        scale = scale.reshape(1, -1, *(1,) * (x.dim() - 2))
        return (apply(_Normalize, x, scale, axes, self.eps),)

    def _directions(self, x: Tensor) -> tuple[Tensor, ...]:
        p = self.param.normalize_param
        x = x.reshape(*x.shape, *(1,) * (4 - x.dim()))
        length = self._length(x)
        if p.fix_gradient:
            x_of_direction = apply(_Lengthened, x, length.detach())
            direction = x_of_direction / self._length(x_of_direction)
        else:
            direction = x / length
        return (direction, length if p.bp_norm else length.detach())[: self.top_count]

    def _length(self, x: Tensor) -> Tensor:
        if self.param.normalize_param.normalize_type == "L1":
            return x.abs().sum(1, keepdim=True) + EPS
        squares = x.square().sum(1, keepdim=True)
        return (squares + torch.where(squares == 0, EPS, LEAST)).sqrt()
