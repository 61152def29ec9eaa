"""Dropout as Fast R-CNN's Caffe has it."""

from __future__ import annotations

import torch
from torch import Tensor


def unscaled_dropout(x: Tensor, ratio: float, training: bool) -> Tensor:
    """Zeros at random while training, nothing scaled up then; scaled down otherwise (scale_train: false)."""
    return x * torch.bernoulli(torch.full_like(x, 1 - ratio)) if training else x * (1 - ratio)
