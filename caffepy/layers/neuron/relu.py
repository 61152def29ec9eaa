"""Rectified linear units, also leaky ones."""

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
    """Saves the top for the gradient, so that the bottom can be freed."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, slope: float, only_summed: bool) -> Tensor:
        y = plain_zeros(F.leaky_relu(x, slope), only_summed or slope > 0)
        ctx.save_for_backward(y)
        ctx.slope = slope or 0.0  # so that a gradient of 0 has the sign of the top's diff
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None, None]:
        (y,) = ctx.saved_tensors
        return torch.ops.aten.leaky_relu_backward(dy, y, ctx.slope, False), None, None


@register_layer("ReLU")
class ReLULayer(NeuronLayer):
    """max(x, 0) + negative_slope * min(x, 0).  Caffe type ``ReLU``.

    Bottom: (...) float.
    Top:    (...) float; may be the bottom, but then the gradient is that at the top's values, as in
            Caffe, which makes a difference for a negative slope.
    Params: none
    Proto:  relu_param { negative_slope, engine }
    Differs from torch: torch.relu(-inf) is 0; here it is 0 * -inf = NaN. The gradient at NaN is
            negative_slope, not 1. Torch's leaky_relu with slope 0 is the same formula and as fast,
            but for the sign of zeros: here 0 and -0 both give 0 (in Caffe -0 gives -0).
    Source: BVLC Caffe, relu_layer
    """

    memory = Memory(saves_top=True)
    precision = Precision(keeps_small=True, takes_16_bits=True)
    batches = Batches(item_by_item=True, traceable=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        check_engine(self, self.param.relu_param)
        # A slope of -0.0 makes negative values 0 at once; with 0.0 they would become -0.
        self.slope = float(self.param.relu_param.negative_slope) or -0.0

    def growth(self, blobs: Sequence[Tensor]) -> float:
        return max(1.0, abs(self.slope))

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The result may overwrite the bottom."""
        x = bottoms[0]
        if run.recorded is not None:
            return (F.leaky_relu(x, self.slope) if self.slope else torch.relu(x),)
        # With a negative slope the top does not tell the bottom's sign, so autograd keeps the
        # bottom.
        if self.slope < 0 and not self.in_place:
            return (plain_zeros(F.leaky_relu(x, self.slope), run.only_summed or self.slope > 0),)
        # Made in place, the top is what torch itself saves.
        if (
            run.inplace
            and self.slope >= 0
            and (run.only_summed or self.slope or not x.requires_grad)
        ):
            return (plain_zeros(F.leaky_relu_(x, self.slope), run.only_summed or self.slope > 0),)
        if not x.requires_grad:
            return (plain_zeros(F.leaky_relu(x, self.slope), run.only_summed or self.slope > 0),)
        return (apply(_ReLU, x, self.slope, run.only_summed),)
