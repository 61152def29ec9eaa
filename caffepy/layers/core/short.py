"""What numbers of 16 bits cannot hold, for layers that take them: Caffe's -FLT_MAX, and sums of many."""

from __future__ import annotations

import torch

LEAST = -torch.finfo(torch.float32).max
"""-FLT_MAX."""


def least(dtype: torch.dtype) -> float:
    """What stands for -FLT_MAX among numbers of ``dtype``: the least finite one, if it is not as small."""
    return max(LEAST, torch.finfo(dtype).min)


def wide(dtype: torch.dtype) -> torch.dtype:
    """In which numbers of ``dtype`` are added up and places are counted: float32, or ``dtype`` where that has more bits."""
    return torch.promote_types(dtype, torch.float32)
