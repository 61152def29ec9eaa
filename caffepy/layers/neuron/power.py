"""Powers of an affine function."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run, Shape
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory


class _Power(torch.autograd.Function):
    """The power; it saves bottom and top for the gradient.

    In place the gradient is as in Caffe: the bottom is gone, so the derivative is that at the top's
    values. Caffe writes it over the top's diff and so multiplies it by itself.
    """

    @staticmethod
    def forward(ctx: Context, x: Tensor, layer: PowerLayer) -> Tensor:
        y = x if layer.scale == 1 else x * layer.scale
        y = y if layer.shift == 0 else y + layer.shift
        # torch computes a square root, which differs from C's pow for -0 and -inf.
        if abs(layer.power) == 0.5:
            y = torch.where((y == 0) | y.isneginf(), y.abs(), y)
        y = y.pow(layer.power)
        ctx.layer = layer
        ctx.save_for_backward(y if layer.in_place else x, y)
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None]:
        derivative = _derivative(ctx.layer, *ctx.saved_tensors)
        return derivative.mul_(derivative if ctx.layer.in_place else dy), None


class _Constant(torch.autograd.Function):
    """The same number everywhere. The gradient is 0, even if the top's diff is NaN or infinite."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, number: float) -> Tensor:
        return torch.full_like(x, number)

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None]:
        return torch.zeros_like(dy), None


def _derivative(layer: PowerLayer, x: Tensor, y: Tensor) -> Tensor:
    slope = layer.power * layer.scale
    if layer.power == 1:
        return torch.full_like(y, slope)
    if layer.power == 2:
        return x * (slope * layer.scale) + slope * layer.shift
    if layer.shift == 0:
        return y / x * layer.power
    return y / (x * layer.scale + layer.shift) * slope


@register_layer("Power")
class PowerLayer(NeuronLayer):
    """(shift + scale * x) ^ power.  Caffe type ``Power``.

    Bottom: (...) float.
    Top:    (...) float; may be the bottom, but then the gradient is the square of the derivative at
            the top's values, as in Caffe. With power * scale = 0 it is constant, 1 if power is 0.
    Params: none
    Proto:  power_param { power, scale, shift }
    Differs from torch: the gradient is computed as power * scale * top / (shift + scale * x), so it
            is NaN where that is 0, except for powers 1 and 2.
    Source: BVLC Caffe, power_layer
    """

    memory = Memory(saves_top=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.power_param
        self.power = float(p.power)
        self.scale = float(p.scale)
        self.shift = float(p.shift)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """A constant, an affine function or a power, by the fields."""
        x = bottoms[0]
        if self.power * self.scale == 0:
            return (apply(_Constant, x, self._constant()),)
        if self.power != 1 or self.in_place:
            return (apply(_Power, x, self),)
        y = x * self.scale
        return (y if self.shift == 0 else y.add_(self.shift),)

    def _constant(self) -> float:
        if self.power == 0:
            return 1.0
        return float(torch.tensor(self.shift).pow(self.power))
