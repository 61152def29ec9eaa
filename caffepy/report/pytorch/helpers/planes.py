"""Planes laid out in other ways."""

from __future__ import annotations

from torch import Tensor


def reorg(x: Tensor, stride: int, reverse: bool = False) -> Tensor:
    """Pixels to channels, or back, in darknet's order: not that of pixel_unshuffle (Reorg)."""
    (n, c, h, w), s = x.shape, stride
    if reverse:
        parts = x.reshape(n, s, s, c // (s * s), h, w).permute(0, 3, 4, 1, 5, 2)
        return parts.reshape(n, c // (s * s), h * s, w * s)
    parts = x.reshape(n, c // (s * s), h, s, w, s).permute(0, 3, 5, 1, 2, 4)
    return parts.reshape(n, c * s * s, h // s, w // s)
