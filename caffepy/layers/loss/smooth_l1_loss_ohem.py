"""The loss of boxes, and that of each box, by which hard examples are chosen."""

# N boxes (or pictures of H * W of them), C values of a box

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.loss import LossLayer, normalization_mode, normalizer
from caffepy.layers.common.smooth_l1 import smooth_l1
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run, Shape, between, count
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients
from caffepy.layers.loss.smooth_l1_loss import check_boxes


class _WeightedDifference(torch.autograd.Function):
    """weight * (a - b). As in the fork, the gradient leaves the weight out, which is 0 or 1."""

    @staticmethod
    def forward(ctx: Context, a: Tensor, b: Tensor, weight: Tensor) -> Tensor:
        return (a - b).mul_(weight)

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, Tensor, None]:
        return dy, -dy, None


@register_layer("SmoothL1LossOHEM")
class SmoothL1LossOHEMLayer(LossLayer):
    """Smooth absolute differences, summed and for each box.  Caffe type ``SmoothL1LossOHEM``.

    Bottom: (N, C[, H, W]) float, twice; [2] (optional) weights of that shape. Gradients go to the
            first two.
    Top:    () float; the sum of f(weight * (a - b)), where f(d) is d^2 / 2 if |d| < 1, else |d| -
            1/2, divided by N * H * W (VALID, FULL), N (BATCH_SIZE), 1 (NONE) or
            pre_fixed_normalizer (PRE_FIXED). [1] (optional) (N, 1, H, W) float, the sum of each
            box, without gradient.
    Params: none
    Proto:  loss_param { normalization | normalize, pre_fixed_normalizer }
    Differs from torch: the gradient leaves the weights out.
    Source: R-FCN, smooth_L1_loss_ohem_layer; Shrivastava et al. 2016
    """

    fork_fields = frozenset(
        {"LossParameter.NormalizationMode.PRE_FIXED", "LossParameter.pre_fixed_normalizer"}
    )
    bottoms = between(2, 3)
    tops = between(1, 2)
    gradients = Gradients(unforced=(2,))

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """A loss without axes, and a number for each box."""
        (loss,) = super().reshape(bottoms)
        check_boxes(self, bottoms)
        if len(bottoms[0]) < 2:
            raise self.fail(
                f"bottom 0 has {len(bottoms[0])} axis; needed: at least 2 (boxes, values)"
            )
        shape = (*bottoms[0], 1, 1)
        return (loss, (shape[0], 1, *shape[2:4]))[: max(1, self.top_count)]

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The loss of the differences, and that of each box."""
        a, b, *weights = (bottom.reshape(bottoms[0].shape) for bottom in bottoms)
        difference = apply(_WeightedDifference, a, b, weights[0].detach()) if weights else a - b
        each = smooth_l1(difference).sum(1)
        p = self.param.loss_param
        mode = normalization_mode(p)
        inner = count(a.shape, 2)
        divisor = normalizer(
            mode, outer=len(a), inner=inner, valid=None, run=run, fixed=p.pre_fixed_normalizer
        )
        loss = each.sum() / divisor
        if self.top_count < 2:
            return (loss,)
        height, width = (*a.shape, 1, 1)[2:4]
        return (loss, each.detach().reshape(len(a), 1, height, width))
