"""Losses and scores of faces: features near the centers of their classes, and margins."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class CenterLoss(nn.Module):
    """Half the mean squared distance of features to the centers of their classes.

    Derivative by a center: sum(center - x) / (1 + number of its items), whatever the loss's
    ``weight`` is.
    """

    def __init__(self, inputs: int, classes: int, weight: float = 1.0) -> None:
        super().__init__()
        self.centers = nn.Parameter(torch.zeros(classes, inputs))
        self.weight = weight

    def forward(self, x: Tensor, label: Tensor) -> Tensor:
        index = label.flatten().long()
        away = x - self.centers.detach()[index]
        sums = torch.zeros_like(self.centers).index_add_(0, index, away.detach())
        counts = 1 + torch.bincount(index, minlength=len(sums)).unsqueeze(1)
        step = (self.centers * (-sums / counts)).sum() / self.weight
        return away.square().sum() / (2 * len(x)) + step - step.detach()


def label_margin(scores: Tensor, label: Tensor, bias: float) -> Tensor:
    """``bias`` is added to the label's score where that is above -bias (LabelSpecificAdd).

    Derivative: handed on as it is.
    """
    index = label.flatten().long().unsqueeze(1)
    own = scores.detach().flatten(1).gather(1, index)
    margin = torch.zeros_like(scores).flatten(1).scatter(1, index, (own > -bias).to(scores) * bias)
    return scores + margin.view(scores.shape)
