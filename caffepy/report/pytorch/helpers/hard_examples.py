"""Online choice of hard examples (R-FCN)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def hard_boxes(boxes: Tensor, losses: Tensor, per_picture: int) -> Tensor:
    """Which boxes (N,) are among the ``per_picture`` of their picture with the highest losses.

    Of equal losses the earlier box counts (BoxAnnotatorOHEM).
    """
    pictures = boxes.view(len(boxes), -1)[:, 0].long()
    chosen = torch.zeros_like(pictures, dtype=torch.bool)
    for picture in pictures.unique():
        own = (pictures == picture).nonzero()[:, 0]
        order = (-losses.detach().flatten()[own]).argsort(stable=True)
        chosen[own[order[:per_picture]]] = True
    return chosen.view(-1, 1, 1, 1)


def box_losses(a: Tensor, b: Tensor, weights: Tensor | None = None) -> Tensor:
    """Squares near 0, distances beyond, summed for each box (SmoothL1LossOHEM).

    Derivative: without the weights, which are 0 or 1.
    """
    difference = a - b
    if weights is not None:
        difference = difference + (difference * weights - difference).detach()
    zeros = torch.zeros_like(difference)
    return F.smooth_l1_loss(difference, zeros, reduction="none").sum(1, keepdim=True)
