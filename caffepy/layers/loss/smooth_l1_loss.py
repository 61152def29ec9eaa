"""The loss of boxes: squared differences near 0, absolute ones beyond."""

# N batch

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.loss import LossLayer
from caffepy.layers.common.smooth_l1 import smooth_l1
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Layer, Run, Shape, between
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients


class _Weighted(torch.autograd.Function):
    """Differences times weights of 0 or 1. The gradient leaves the weights out.

    That makes no difference for the loss: where a weight is 0, its gradient is 0 by itself.
    """

    @staticmethod
    def forward(ctx: Context, difference: Tensor, weight: Tensor) -> Tensor:
        return difference * weight

    @staticmethod
    def backward(ctx: Context, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient, None


def check_boxes(layer: Layer, bottoms: Sequence[Shape]) -> None:
    """LayerError unless the bottoms have equal shapes, apart from axes of 1 at the end."""
    legacy = [(*shape, 1, 1, 1, 1)[: max(4, len(shape))] for shape in bottoms]
    for i, shape in enumerate(legacy):
        if shape != legacy[0]:
            raise layer.fail(
                f"bottom {i} is {bottoms[i]} and bottom 0 {bottoms[0]}; needed: equal shapes,"
                " but for axes of 1 at the end"
            )


@register_layer("SmoothL1Loss")
class SmoothL1LossLayer(LossLayer):
    """Smooth absolute differences, summed and divided by N.  Caffe type ``SmoothL1Loss``.

    Bottom: (N, ...) float, twice; [2] (optional) weights of that shape, or [2], [3] inside and
            outside weights. Gradients go to the first two. Axes of 1 at the end, up to four axes,
            do not matter.
    Top:    () float; 1/N * sum of outside * f(inside * (a - b)), where f(d) is (sigma * d)^2 / 2 if
            |d| < 1 / sigma^2, else |d| - 1 / (2 * sigma^2). With three bottoms it is f(weight * (a
            - b)), whose gradient lacks the factor weight.
    Params: none
    Proto:  smooth_l1_loss_param { sigma }
    Differs from torch: smooth_l1_loss divides by the number of elements, and the square by its
            beta. A loss_weight that is left out is 0 where the layer is Fast R-CNN's (it has more
            than two bottoms, or smooth_l1_loss_param, or the net has other layers of that fork),
            and else 1 as in SSD.
    Source: Fast R-CNN and SSD, smooth_l1_loss_layer; Girshick 2015
    """

    fork_fields = frozenset({"LayerParameter.smooth_l1_loss_param"})
    bottoms = between(2, 4)
    gradients = Gradients(unforced=(2, 3))

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        tops = super().reshape(bottoms)
        check_boxes(self, bottoms)
        return tops

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The loss of the differences."""
        a, b, *weights = (bottom.reshape(bottoms[0].shape) for bottom in bottoms)
        difference = a - b
        sigma = float(self.param.smooth_l1_loss_param.sigma)
        if not weights:
            return (smooth_l1(difference, sigma).sum() / len(difference),)
        inside, *outside = (weight.detach() for weight in weights)
        if not outside:
            return (smooth_l1(apply(_Weighted, difference, inside), sigma).sum() / len(difference),)
        return ((outside[0] * smooth_l1(inside * difference, sigma)).sum() / len(difference),)
