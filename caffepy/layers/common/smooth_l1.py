"""Squares near 0 and distances beyond, as the losses of boxes have them."""

from __future__ import annotations

import torch
from torch import Tensor

FLOATS = torch.finfo(torch.float32)


def smooth_l1(difference: Tensor, sigma: float = 1.0) -> Tensor:
    """For each element d: (sigma * d)^2 / 2 where |d| < 1 / sigma^2, else |d| - 1 / (2 * sigma^2).

    For a sigma of 0 it is 0.
    """
    square = min(sigma * sigma, FLOATS.max)
    distance = difference.abs()
    if square < FLOATS.tiny:
        return difference * 0
    return torch.where(
        distance < 1 / square, difference.square() * (square / 2), distance - 0.5 / square
    )
