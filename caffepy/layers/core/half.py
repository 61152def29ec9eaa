"""What numbers of 16 bits cannot hold: Caffe's -FLT_MAX, and sums of many numbers."""

from __future__ import annotations

import torch

LEAST = -torch.finfo(torch.float32).max
"""-FLT_MAX."""


def least(dtype: torch.dtype) -> float:
    """What stands for -FLT_MAX in ``dtype``: the least finite number, if that is greater."""
    return max(LEAST, torch.finfo(dtype).min)


def wide(dtype: torch.dtype) -> torch.dtype:
    """The type for sums and places of numbers of ``dtype``.

    It is float32, or ``dtype`` where that has more bits.
    """
    return torch.promote_types(dtype, torch.float32)
