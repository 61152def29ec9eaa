"""Losses by Caffe's rules where torch's differ."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def divisor(normalization: str | float, valid: Tensor) -> float | Tensor:
    """What a sum of losses is divided by.

    Labels that count (VALID), all of them (FULL), items (BATCH_SIZE), 1 (NONE), or a number.
    """
    if not isinstance(normalization, str):
        return normalization
    counts = {"FULL": valid.numel(), "BATCH_SIZE": len(valid), "NONE": 1}
    return counts[normalization] if normalization in counts else valid.sum().clamp(min=1)


def softmax_loss(
    scores: Tensor,
    label: Tensor,
    axis: int = 1,
    ignore: int | None = None,
    weights: Sequence[float] | None = None,
    normalization: str | float = "VALID",
) -> Tensor:
    """Cross entropy of the softmax over ``axis``, without labels that are ignored.

    It is divided by Caffe's normaliser, and 0 where no label counts.
    """
    shape = (*scores.shape[:axis], 1, *scores.shape[axis + 1 :])
    index = label.reshape(shape).long()
    valid = torch.ones_like(index, dtype=torch.bool) if ignore is None else index != ignore
    losses = -torch.log_softmax(scores, axis).gather(axis, index * valid) * valid
    if weights is not None:
        losses = losses * torch.tensor(weights, device=scores.device)[index * valid]
    outer = valid.reshape(scores.shape[:axis].numel(), -1)
    return losses.sum() / divisor(normalization, outer)


def sigmoid_cross_entropy_loss(
    x: Tensor,
    target: Tensor,
    ignore: int | None = None,
    normalization: str = "BATCH_SIZE",
) -> Tensor:
    """Cross entropy of the logistic function, without targets that are ignored.

    It is divided by Caffe's normaliser.
    """
    valid = torch.ones_like(target, dtype=torch.bool) if ignore is None else target.long() != ignore
    losses = F.binary_cross_entropy_with_logits(x.masked_fill(~valid, 0), target, reduction="none")
    return (losses * valid).sum() / divisor(normalization, valid)


def smooth_l1_loss(
    a: Tensor,
    b: Tensor,
    inside: Tensor | None = None,
    outside: Tensor | None = None,
    sigma: float = 1,
) -> Tensor:
    """Squares near 0, distances beyond, summed and divided by the items of the batch."""
    difference = a - b if inside is None else inside * (a - b)
    zeros = torch.zeros_like(difference)
    losses = F.smooth_l1_loss(difference, zeros, reduction="none", beta=1 / sigma**2)
    return (losses if outside is None else outside * losses).sum() / len(a)


def hinge_loss(scores: Tensor, label: Tensor, power: int = 1) -> Tensor:
    """What every class lacks to a margin of 1, on the side that the label tells.

    It is divided by the items of the batch.
    """
    index = label.reshape(-1, 1)[: len(scores)].long()
    signs = torch.ones_like(scores).scatter(1, index, -1.0)
    return F.relu(1 + signs * scores).pow(power).sum() / len(scores)


def contrastive_loss(a: Tensor, b: Tensor, alike: Tensor, margin: float = 1) -> Tensor:
    """Squared distances of pairs that are alike, squared lacks of ``margin`` of others.

    The gradient of the latter divides by the distance, to which 1e-4 is added.
    """
    squared = (a - b).square().sum(1)
    distance = squared.detach().sqrt()
    direction = (a - b).detach() / (distance + 1e-4).unsqueeze(1)
    along = ((a - b) * direction).sum(1)
    lack = F.relu(margin - (distance + along - along.detach()))
    together = alike.flatten()[: len(a)].long() != 0
    return torch.where(together, squared, lack.square()).sum() / (2 * len(a))


def triplet_loss(item: Tensor, like: Tensor, unlike: Tensor, margin: float) -> Tensor:
    """By how much squared distances to the unlike items are not ``margin`` above the others."""
    lead = (item - like).flatten(1).square().sum(1) - (item - unlike).flatten(1).square().sum(1)
    return F.relu(margin + lead).sum() / (2 * len(item))


class Constant(nn.Module):
    """Values that are not learned."""

    values: Tensor

    def __init__(self, *shape: int) -> None:
        super().__init__()
        self.register_buffer("values", torch.zeros(shape))


def infogain_loss(
    scores: Tensor,
    label: Tensor,
    matrix: Tensor,
    axis: int = 1,
    ignore: int | None = None,
    normalization: str = "VALID",
) -> Tensor:
    """Logs of the softmax over ``axis``, weighted by the label's row of a matrix, and divided.

    Labels that are ignored count as 0.
    """
    classes, outer = scores.shape[axis], scores.shape[:axis]
    index = label.reshape(*outer, *scores.shape[axis + 1 :]).long()
    valid = torch.ones_like(index, dtype=torch.bool) if ignore is None else index != ignore
    rows = matrix.view(classes, classes)[index * valid].movedim(-1, axis) * valid.unsqueeze(axis)
    likely = torch.softmax(scores.masked_fill(~valid.unsqueeze(axis), 0), axis)
    total = -(rows * torch.log(likely.clamp(min=1e-20))).sum()
    return total / divisor(normalization, valid.reshape(outer.numel(), -1))


def multinomial_logistic_loss(likely: Tensor, label: Tensor) -> Tensor:
    """The mean of -log of the label's probability, which is taken as 1e-20 at least.

    Derivative: that of the value that it is taken as.
    """
    own = likely.flatten(1).gather(1, label.reshape(-1, 1).long())
    taken = own.detach().clamp(min=1e-20)
    return -(torch.log(taken) + (own - own.detach()) / taken).mean()
