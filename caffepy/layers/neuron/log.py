"""Logarithms to a base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run, Shape
from caffepy.layers.core.registry import register_layer
from caffepy.layers.neuron.exp import log_of_base


class _LogInPlace(torch.autograd.Function):
    """The logarithm in place, with the gradient of Caffe's layer.

    Caffe computes the derivative at the top's values, as the bottom is gone, and writes it over the
    top's diff. So it multiplies the derivative by itself.
    """

    @staticmethod
    def forward(ctx: Context, x: Tensor, layer: LogLayer) -> Tensor:
        y = layer.log(x)
        ctx.layer = layer
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None]:
        (y,) = ctx.saved_tensors
        p = ctx.layer.param.log_param
        return (y * p.scale + p.shift).reciprocal_().mul_(p.scale * ctx.layer.outer).square_(), None


@register_layer("Log")
class LogLayer(NeuronLayer):
    """log(shift + scale * x) to the base.  Caffe type ``Log``.

    Bottom: (...) float.
    Top:    (...) float; may be the bottom, but then the gradient is the square of the derivative at
            the top's values, as in Caffe.
    Params: none
    Proto:  log_param { base (-1: e), scale, shift }
    Differs from torch: nothing.
    Source: BVLC Caffe, log_layer
    """

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Compute the factor outside of the logarithm."""
        self.memory = replace(self.memory, saves_top=self.in_place)
        log_base = log_of_base(self, self.param.log_param.base)
        if log_base == 0:
            raise self.fail("base is 1, whose logarithm is 0; needed: another base")
        self.outer = 1 / log_base

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        x = bottoms[0]
        return (apply(_LogInPlace, x, self) if self.in_place else self.log(x),)

    def log(self, x: Tensor) -> Tensor:
        """log(shift + scale * x) / log(base)."""
        p = self.param.log_param
        if p.scale != 1:
            x = x * p.scale
        if p.shift != 0:
            x = x + p.shift
        y = x.log()
        return y if self.outer == 1 else y * self.outer
