"""Rectified linear units that saturate."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer, plain_zeros
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory

TOP = 6.0


class _ReLU6(torch.autograd.Function):
    """Saves the top for the gradient.

    It is negative only where the bottom is, and 6 only where the gradient is 0.
    """

    @staticmethod
    def forward(ctx: Context, x: Tensor, slope: float, only_summed: bool) -> Tensor:
        y = plain_zeros(
            torch.nn.functional.leaky_relu(x, slope).clamp_(max=TOP), only_summed or slope > 0
        )
        ctx.save_for_backward(y)
        ctx.slope = slope
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None, None]:
        (y,) = ctx.saved_tensors
        dx = torch.where(y > 0, dy, dy * ctx.slope)
        return dx.masked_fill_(y >= TOP, 0), None, None


@register_layer("ReLU6")
class ReLU6Layer(NeuronLayer):
    """min(max(x, 0), 6) + negative_slope * min(x, 0).  Caffe type ``ReLU6``.

    Bottom: (...) float.
    Top:    (...) float; may be the bottom. The gradient at 6 is 0.
    Params: none
    Proto:  relu6_param { negative_slope (0 or more) }
    Differs from torch: relu6 has no slope.
    Source: MobileNet-YOLO, relu6_layer
    """

    fork_fields = frozenset({"LayerParameter.relu6_param"})
    memory = Memory(saves_top=True)

    def reshape(self, bottoms: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
        """The top has the bottom's shape."""
        self.slope = float(self.param.relu6_param.negative_slope)
        if self.slope < 0:
            raise self.fail(f"negative_slope is {self.slope:g}; needed: 0 or more")
        return (bottoms[0],)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        return (apply(_ReLU6, bottoms[0], self.slope, run.only_summed),)
