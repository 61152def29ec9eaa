"""Dropout as Fast R-CNN's Caffe has it."""

from __future__ import annotations

import torch
from torch import Tensor


def unscaled_dropout(x: Tensor, ratio: float, training: bool) -> Tensor:
    """Dropout with scale_train: false.

    Training puts zeros at random and scales nothing up; otherwise all is scaled down.
    """
    return x * torch.bernoulli(torch.full_like(x, 1 - ratio)) if training else x * (1 - ratio)
