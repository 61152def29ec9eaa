"""The usual classification loss."""

# outer = count of the axes before ``axis``, C classes (``axis``), inner = count of the axes after it

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from caffepy.layers.autograd import apply
from caffepy.layers.base import Run, Shape, canonical_axis, count
from caffepy.layers.loss import LossLayer, label_indices, normalization_mode, normalizer
from caffepy.layers.neuron import check_engine
from caffepy.layers.registry import register_layer

LOG_FLT_MIN = math.log(torch.finfo(torch.float32).tiny)


class _SoftmaxLoss(torch.autograd.Function):
    """Loss from scores; the gradient is probability - one-hot, also where the loss was clamped."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, index: Tensor, valid: Tensor | None, divisor: Tensor | float, axis: int) -> Tensor:
        logs = scores.log_softmax(axis)
        losses = logs.gather(axis, index).clamp(min=LOG_FLT_MIN)
        if valid is not None:
            losses = losses.mul_(valid)
        ctx.save_for_backward(logs, index, valid)
        ctx.divisor, ctx.axis = divisor, axis
        return -losses.sum() / divisor

    @staticmethod
    def backward(ctx: Any, dloss: Tensor) -> tuple[Tensor | None, ...]:
        logs, index, valid = ctx.saved_tensors
        gradient = logs.exp()
        gradient.scatter_add_(ctx.axis, index, gradient.new_full((), -1).expand(index.shape))
        if valid is not None:
            gradient.mul_(valid)
        return gradient.mul_(dloss / ctx.divisor), None, None, None, None


@register_layer("SoftmaxWithLoss")
class SoftmaxWithLossLayer(LossLayer):
    """Negative log of the softmax of the labelled class.  Caffe type ``SoftmaxWithLoss``.

    Bottom: scores (outer..., C, inner...) float; labels, outer * inner of them, truncated to integers.
    Top:    () float; the sum over labels that are not ignored, by the normaliser: their number (VALID), outer * inner (FULL), outer
            (BATCH_SIZE) or 1 (NONE), at least 1. Probabilities count as no less than FLT_MIN.
    Params: none
    Proto:  loss_param { ignore_label, normalization | normalize }, softmax_param { axis, engine }
    Differs from torch: the clamp; no label left gives 0, not NaN. Caffe's second top never worked and is refused.
    Source: BVLC Caffe, softmax_loss_layer
    """

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Read the fields."""
        p = self.param.loss_param
        check_engine(self, self.param.softmax_param)
        self.ignore = int(p.ignore_label) if p.HasField("ignore_label") else None
        self.mode = normalization_mode(p)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """0 axes."""
        tops = super().reshape(bottoms)
        self.axis = canonical_axis(self, self.param.softmax_param.axis, len(bottoms[0]))
        self.outer, self.inner = count(bottoms[0], 0, self.axis), count(bottoms[0], self.axis + 1)
        self.check_label_count(bottoms, self.outer * self.inner)
        return tops

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """Scores and labels to the loss."""
        scores, axis = bottoms[0], self.axis
        labels = bottoms[1].reshape(*scores.shape[:axis], 1, *scores.shape[axis + 1 :])
        index, valid = label_indices(self, labels, scores.shape[axis], self.ignore)
        divisor = normalizer(self.mode, outer=self.outer, inner=self.inner, valid=valid)
        return (apply(_SoftmaxLoss, scores, index, valid, divisor, axis),)
