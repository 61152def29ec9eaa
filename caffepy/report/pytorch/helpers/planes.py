"""Planes laid out in other ways."""

from __future__ import annotations

from torch import Tensor


def reorg(x: Tensor, stride: int, reverse: bool = False) -> Tensor:
    """Pixels to channels in darknet's order, which is not that of pixel_unshuffle; or back (Reorg)."""
    (n, c, h, w), s = x.shape, stride
    if reverse:
        return x.reshape(n, s, s, c // (s * s), h, w).permute(0, 3, 4, 1, 5, 2).reshape(n, c // (s * s), h * s, w * s)
    return x.reshape(n, c // (s * s), h, s, w, s).permute(0, 3, 5, 1, 2, 4).reshape(n, c * s * s, h // s, w // s)
