"""The one-against-all hinge loss."""

# N batch, C classes

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common.loss import LossLayer, label_indices
from caffepy.layers.core.base import Run, Shape, as_rows, count
from caffepy.layers.core.registry import register_layer
from caffepy.proto import caffe_pb2

L2 = caffe_pb2.HingeLossParameter.L2


@register_layer("HingeLoss")
class HingeLossLayer(LossLayer):
    """How far each score is from its margin of 1.  Caffe type ``HingeLoss``.

    Bottom: (N, C...) float, up to 4 axes (C3D: any), all after the first are classes; [1] labels,
            the first N of them, truncated to integers.
    Top:    () float; 1/N * sum of m (L1) or m^2 (L2), where m is max(0, 1 - score) for the labelled
            class, max(0, 1 + score) for the others, and 0 for a score that is NaN.
    Params: none
    Proto:  hinge_loss_param { norm }
    Differs from torch: multi_margin_loss compares scores with that of the label; this one compares
            each with 1.
    Source: BVLC Caffe, hinge_loss_layer
    """

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        tops = super().reshape(bottoms)
        self.check_axes(bottoms[0])
        if count(bottoms[1]) < bottoms[0][0]:
            raise self.fail(
                f"bottom 1 has {count(bottoms[1])} labels; needed: {bottoms[0][0]},"
                " one for each item"
            )
        return tops

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The loss of scores and labels."""
        scores = as_rows(bottoms[0])
        labels = bottoms[1].reshape(-1, 1)[: len(scores)]
        index, _ = label_indices(self, labels, scores.shape[1], None, run)
        signs = torch.ones_like(scores).scatter_(1, index, -1)
        lacks = F.relu(1 + signs * scores)
        lacks = lacks.masked_fill(lacks.isnan(), 0)
        if self.param.hinge_loss_param.norm == L2:
            lacks = lacks.square()
        return (lacks.sum() / len(scores),)
