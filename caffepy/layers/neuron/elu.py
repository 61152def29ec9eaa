"""Exponential linear units, also scaled ones."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer, plain_zeros
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory


class _ELU(torch.autograd.Function):
    """Saves the top for the gradient, and with a negative alpha the bottom.

    The top then does not tell the bottom's sign. In place only the top is there, as in Caffe.
    """

    @staticmethod
    def forward(ctx: Context, x: Tensor, alpha: float, in_place: bool, only_summed: bool) -> Tensor:
        y = plain_zeros(F.elu(x, alpha), only_summed or alpha < 0)
        ctx.save_for_backward(y, *(() if in_place or alpha >= 0 else (x,)))
        ctx.alpha = alpha
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None, None, None]:
        y = ctx.saved_tensors[0]
        x = ctx.saved_tensors[-1]
        if ctx.alpha >= 0:
            dx = torch.ops.aten.elu_backward(dy, ctx.alpha, 1, 1, True, y)
            return dx.add_(y, alpha=0), None, None, None  # NaN where y is infinite or NaN
        return (y + ctx.alpha).mul_(x <= 0).add_(x > 0).mul_(dy), None, None, None


class _ScaledELU(torch.autograd.Function):
    """ELU times lambda, with NVCaffe's gradient: lambda * (alpha + scaled top) below 0.

    In place the sign of the top is taken for that of the bottom.
    """

    @staticmethod
    def forward(
        ctx: Context, x: Tensor, alpha: float, scale: float, in_place: bool, only_summed: bool
    ) -> Tensor:
        y = plain_zeros(F.elu(x, alpha), only_summed or alpha < 0).mul_(scale)
        ctx.save_for_backward(y, y if in_place else x)
        ctx.alpha = alpha
        ctx.scale = scale
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None, None, None, None]:
        y, x = ctx.saved_tensors
        return (
            (y + ctx.alpha).mul_(x <= 0).add_(x > 0).mul_(dy).mul_(ctx.scale),
            None,
            None,
            None,
            None,
        )


@register_layer("ELU")
class ELULayer(NeuronLayer):
    """x above 0, alpha * (exp(x) - 1) below, times lambda.  Caffe type ``ELU``.

    Bottom: (...) float.
    Top:    (...) float; may be the bottom, but with a negative alpha the gradient then is 1
            wherever the top is above 0, as in Caffe.
    Params: none
    Proto:  elu_param { alpha, lambda (1) }
    Differs from torch: the gradient at infinity and at NaN is NaN: (alpha + y) * 0 is added to the
            1. With lambda it is lambda * (alpha + y) below 0, y being the scaled top, as in
            NVCaffe. -0 gives 0, unless alpha is negative.
    Source: BVLC Caffe, elu_layer; Clevert et al. 2015. lambda: NVCaffe
    """

    fork_fields = frozenset({"ELUParameter.lambda"})
    memory = Memory(saves_top=True)

    @property
    def scale(self) -> float:
        """The field ``lambda``, which Python does not allow as an attribute's name."""
        return float(getattr(self.param.elu_param, "lambda"))

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Without a gradient the result may overwrite the bottom."""
        x = bottoms[0]
        alpha = float(self.param.elu_param.alpha)
        scale = self.scale
        if not x.requires_grad:
            y = plain_zeros(F.elu(x, alpha, inplace=run.inplace), run.only_summed or alpha < 0)
            return (y if scale == 1 else y.mul_(scale),)
        if scale != 1:
            return (apply(_ScaledELU, x, alpha, scale, self.in_place, run.only_summed),)
        return (apply(_ELU, x, alpha, self.in_place, run.only_summed),)
