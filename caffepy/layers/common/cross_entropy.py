"""The log of a softmax as a loss, as SoftmaxWithLoss and MultiBoxLoss have it."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from caffepy.layers.core.autograd import Context, apply

LOG_FLT_MIN = math.log(torch.finfo(torch.float32).tiny)


class SoftmaxLoss(torch.autograd.Function):
    """Loss from scores.

    The gradient is weight * (probability - one-hot), also where the loss was clamped.
    """

    @staticmethod
    def forward(
        ctx: Context,
        scores: Tensor,
        index: Tensor,
        weight: Tensor | None,
        valid: Tensor | None,
        divisor: Tensor | float,
        axis: int,
    ) -> Tensor:
        logs = scores.log_softmax(axis)
        ctx.save_for_backward(logs, index, weight, valid)
        ctx.divisor = divisor
        ctx.axis = axis
        return losses_of_labels(logs, index, weight, valid, axis).sum() / divisor

    @staticmethod
    def backward(ctx: Context, dloss: Tensor) -> tuple[Tensor | None, ...]:
        logs, index, weight, valid = ctx.saved_tensors
        gradient = logs.exp()
        gradient.scatter_add_(ctx.axis, index, gradient.new_full((), -1).expand(index.shape))
        if weight is not None:
            gradient.mul_(weight)
        if valid is not None:
            gradient.masked_fill_(~valid, 0)
        return gradient.mul_(dloss / ctx.divisor), None, None, None, None, None


def losses_of_labels(
    logs: Tensor, index: Tensor, weight: Tensor | None, valid: Tensor | None, axis: int
) -> Tensor:
    """Loss of each label, from the logs of the softmax.

    0 of those that are not ``valid``, even where the softmax is NaN.
    """
    losses = logs.gather(axis, index).clamp_(min=LOG_FLT_MIN).neg_()
    if weight is not None:
        losses.mul_(weight)
    return losses if valid is None else losses.masked_fill_(~valid, 0)


def softmax_loss(scores: Tensor, labels: Tensor, valid: Tensor | None = None) -> Tensor:
    """Sum of the losses of rows (R, C) with labels (R,), or of the ``valid`` (R,) ones."""
    loss: Tensor = apply(
        SoftmaxLoss,
        scores,
        labels.unsqueeze(1),
        None,
        None if valid is None else valid.unsqueeze(1),
        1.0,
        1,
    )
    return loss
