"""Rectified linear units."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer, check_engine, plain_zeros
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run, Shape
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches, Memory, Precision


class _ReLU(torch.autograd.Function):
    """Keeps the top and not the bottom, which nothing else may need."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, slope: float, only_summed: bool) -> Tensor:
        y = plain_zeros(F.leaky_relu(x, slope), only_summed or slope > 0)
        ctx.save_for_backward(y)
        ctx.slope = slope or 0.0  # a zero has the sign of the top's diff
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None, None]:
        (y,) = ctx.saved_tensors
        return torch.ops.aten.leaky_relu_backward(dy, y, ctx.slope, False), None, None


@register_layer("ReLU")
class ReLULayer(NeuronLayer):
    """max(x, 0) + negative_slope * min(x, 0).  Caffe type ``ReLU``.

    Bottom: (...) float.
    Top:    (...) float; may be the bottom, but then the gradient is that at the top, as in Caffe:
            another where the slope is negative.
    Params: none
    Proto:  relu_param { negative_slope, engine }
    Differs from torch: torch.relu(-inf) is 0, here 0 * -inf = NaN; the gradient at NaN is
            negative_slope, not 1. Torch's leaky ReLU with slope 0 is this very formula and as fast,
            but for the sign of zeros: 0 and -0 give 0 (Caffe: -0 gives -0).
    Source: BVLC Caffe, relu_layer
    """

    memory = Memory(saves_top=True)
    precision = Precision(keeps_small=True, takes_16_bits=True)
    batches = Batches(item_by_item=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        check_engine(self, self.param.relu_param)
        # negative values become 0 at once, with 0.0 they would become -0
        self.slope = float(self.param.relu_param.negative_slope) or -0.0

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """In place where that is asked for."""
        x = bottoms[0]
        # the sign of the top does not tell that of the bottom
        if self.slope < 0 and not self.in_place:
            return (plain_zeros(F.leaky_relu(x, self.slope), run.only_summed or self.slope > 0),)
        # torch keeps a top made in place
        if (
            run.inplace
            and self.slope >= 0
            and (run.only_summed or self.slope or not x.requires_grad)
        ):
            return (plain_zeros(F.leaky_relu_(x, self.slope), run.only_summed or self.slope > 0),)
        if not x.requires_grad:
            return (plain_zeros(F.leaky_relu(x, self.slope), run.only_summed or self.slope > 0),)
        return (apply(_ReLU, x, self.slope, run.only_summed),)
