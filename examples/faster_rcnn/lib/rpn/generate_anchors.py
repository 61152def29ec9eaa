"""The anchors of a region proposal net."""

# A anchors at a place, H W of the feature map

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RATIOS = (0.5, 1, 2)
SCALES = (8, 16, 32)


def generate_anchors(
    base_size: int = 16, ratios: Sequence[float] = RATIOS, scales: Sequence[float] = SCALES
) -> np.ndarray:
    """Boxes (A, 4) around the middle of a base of 16 by 16 pixels, the scales of a ratio in a row.

    A ratio is height by width. The sides of the base are rounded before they are scaled.
    """
    middle = (base_size - 1) / 2
    anchors = []
    for ratio in ratios:
        width = np.round(np.sqrt(base_size**2 / ratio))
        height = np.round(width * ratio)
        for scale in scales:
            x = (width * scale - 1) / 2
            y = (height * scale - 1) / 2
            anchors.append([middle - x, middle - y, middle + x, middle + y])
    return np.array(anchors)


def place_anchors(anchors: np.ndarray, height: int, width: int, stride: int) -> np.ndarray:
    """The anchors (A, 4) at all places of a feature map, (H * W * A, 4), row by row."""
    x, y = np.meshgrid(np.arange(width) * stride, np.arange(height) * stride)
    shifts = np.stack([x, y, x, y], axis=2).reshape(-1, 1, 4)
    return (anchors[None] + shifts).reshape(-1, 4)


def by_place(values: np.ndarray, size: int) -> np.ndarray:
    """Values (1, A * size, H, W) of a feature map in the order of placed anchors, (H*W*A, size)."""
    return values[0].transpose(1, 2, 0).reshape(-1, size)


def by_channel(values: np.ndarray, height: int, width: int) -> np.ndarray:
    """Values (H*W*A, size) of placed anchors as a feature map, (1, A * size, H, W)."""
    return values.reshape(height, width, -1).transpose(2, 0, 1)[None]
