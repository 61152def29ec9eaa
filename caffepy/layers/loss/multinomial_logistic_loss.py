"""The classification loss of probabilities."""

# N batch, C classes

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.loss import LossLayer, label_indices
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run, Shape, as_rows, count
from caffepy.layers.core.registry import register_layer

LEAST_PROBABILITY = 1e-20


class _Loss(torch.autograd.Function):
    """Mean of -log(p); the gradient of a clamped p is that of the value it was clamped to."""

    @staticmethod
    def forward(ctx: Context, probability: Tensor) -> Tensor:
        p = probability.clamp(min=LEAST_PROBABILITY)
        ctx.save_for_backward(p)
        return -p.log().sum() / len(p)

    @staticmethod
    def backward(ctx: Context, dloss: Tensor) -> Tensor:
        (p,) = ctx.saved_tensors
        dp: Tensor = -dloss / len(p) / p
        return dp


@register_layer("MultinomialLogisticLoss")
class MultinomialLogisticLossLayer(LossLayer):
    """Minus the log of the labelled class's probability.  Caffe type ``MultinomialLogisticLoss``.

    Bottom: (N, C...) float, up to 4 axes (C3D: any), probabilities, all after the first are
            classes; [1] (N[, 1, 1, 1]) labels, truncated to integers.
    Top:    () float; -1/N * sum of log(max(p, 1e-20)).
    Params: none
    Proto:  none
    Differs from torch: nll_loss takes logs. The gradient of a clamped probability is not 0.
    Source: BVLC Caffe, multinomial_logistic_loss_layer
    """

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        tops = super().reshape(bottoms)
        self.check_axes(bottoms[0])
        if count(bottoms[1], 1) != 1 or len(bottoms[1]) > 4:
            raise self.fail(
                f"bottom 1 is {bottoms[1]}; needed: (N, 1, 1, 1) or fewer axes,"
                " one label for each item"
            )
        return tops

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The loss of probabilities and labels."""
        probability = as_rows(bottoms[0])
        index, _ = label_indices(self, bottoms[1].reshape(-1, 1), probability.shape[1], None, run)
        return (apply(_Loss, probability.gather(1, index)),)
