"""The classification loss, and that of each label, by which hard examples are chosen."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.base import Run, Shape, between
from caffepy.layers.core.registry import register_layer
from caffepy.layers.loss.softmax_loss import SoftmaxWithLossLayer


@register_layer("SoftmaxWithLossOHEM")
class SoftmaxWithLossOHEMLayer(SoftmaxWithLossLayer):
    """The loss of SoftmaxWithLoss, and that of each label.  Caffe type ``SoftmaxWithLossOHEM``.

    Bottom: scores (outer..., C, inner...) float; labels, outer * inner of them, truncated to
            integers.
    Top:    () float; as for SoftmaxWithLoss. But with an ignore_label, of which V labels are not,
            only the first V losses are summed, as on the fork's CPU; the gradient is that of all.
            [1] (optional) the scores' shape: the softmax, or 0 if there is a third top, as in the
            fork. [2] (optional) the labels' shape: the loss of each label, 0 for ignored ones. No
            gradient flows through either.
    Params: none
    Proto:  loss_param { ignore_label, ... as for SoftmaxWithLoss }, softmax_param { axis, engine }
    Differs from torch: as for SoftmaxWithLoss.
    Source: R-FCN, softmax_loss_ohem_layer; Shrivastava et al. 2016
    """

    tops = between(1, 3)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """A loss without axes, a top of the scores' shape and one of the labels'."""
        (loss,) = super().reshape(bottoms)
        return (loss, bottoms[0], bottoms[1])[: max(1, self.top_count)]

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The loss of scores and labels, the softmax and the loss of each label."""
        (loss,) = super().forward(bottoms, blobs, run)
        each = self.each(bottoms, run) if self.ignore is not None or self.top_count > 2 else None
        if self.ignore is not None and each is not None:
            loss = loss + loss.detach() * (self._share(each, bottoms, run) - 1)
        if self.top_count < 2:
            return (loss,)
        if self.top_count < 3 or each is None:
            return (loss, bottoms[0].detach().softmax(self.axis))
        return (loss, torch.zeros_like(bottoms[0]), each.reshape(bottoms[1].shape))

    def _share(self, each: Tensor, bottoms: Sequence[Tensor], run: Run) -> Tensor:
        """The share of the sum that the first V losses have, V being the labels not ignored."""
        _, valid = self.labels(bottoms, run)
        assert valid is not None
        first = torch.arange(each.numel(), device=each.device) < valid.sum()
        total = each.sum()
        return torch.where(
            total > 0, (each.flatten() * first).sum() / total, torch.ones_like(total)
        )
