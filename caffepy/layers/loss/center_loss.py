"""A loss that draws features to the centers of their classes."""

# M batch, K elements of an item, N classes

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.loss import LossLayer, label_indices
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import BlobSpec, Run, Shape, canonical_axis, count
from caffepy.layers.core.registry import register_layer


class _CenterLoss(torch.autograd.Function):
    """The gradient of a center is sum(center - x) / (1 + number of its items).

    The loss weight does not scale it.
    """

    @staticmethod
    def forward(ctx: Context, x: Tensor, centers: Tensor, index: Tensor) -> Tensor:
        away = x - centers[index]
        ctx.save_for_backward(away, index)
        ctx.classes = len(centers)
        return away.square().sum() / (2 * len(x))

    @staticmethod
    def backward(ctx: Context, dloss: Tensor) -> tuple[Tensor, Tensor, None]:
        away, index = ctx.saved_tensors
        sums = away.new_zeros(ctx.classes, away.shape[1]).index_add_(0, index, away)
        counts = away.new_ones(ctx.classes).index_add_(0, index, away.new_ones(len(away)))
        return away * (dloss / len(away)), -sums / counts.unsqueeze(1), None


@register_layer("CenterLoss")
class CenterLossLayer(LossLayer):
    """Half the mean squared distance to the centers of the classes.  Caffe type ``CenterLoss``.

    Bottom: (M, K...) float, the axes from ``axis`` on are flattened to K; [1] M labels, truncated
            to integers.
    Top:    () float; sum of |x - center[label]|^2 / (2 * M).
    Params: centers (num_output, K)
    Proto:  center_loss_param { num_output, center_filler, axis }
    Differs from torch: no counterpart. As in caffe-face, the weight is 0 unless loss_weight is
            given. The gradient of a center is sum(center - x) / (1 + number of its items), whatever
            the loss weight is.
    Source: caffe-face, center_loss_layer; Wen et al. 2016
    """

    fork_fields = frozenset({"LayerParameter.center_loss_param"})

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.center_loss_param
        self.axis = canonical_axis(self, p.axis, len(bottoms[0]))
        if p.num_output < 1:
            raise self.fail("num_output is 0; needed: the number of classes")
        self.blobs = (BlobSpec((p.num_output, count(bottoms[0], self.axis)), p.center_filler),)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        tops = super().reshape(bottoms)
        needed = self.blobs[0].shape[1]
        if count(bottoms[0], self.axis) != needed:
            raise self.fail(
                f"bottom {bottoms[0]} has {count(bottoms[0], self.axis)} elements an item;"
                f" needed: {needed}, as in the centers"
            )
        self.check_label_count(bottoms, count(bottoms[0], 0, self.axis))
        return tops

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The loss of features and labels."""
        index, _ = label_indices(self, bottoms[1].flatten(), len(blobs[0]), None, run)
        return (
            apply(_CenterLoss, bottoms[0].reshape(len(index), blobs[0].shape[1]), blobs[0], index),
        )
