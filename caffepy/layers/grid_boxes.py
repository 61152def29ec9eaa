"""What the layers of YOLO share: a box for each cell of a grid and each anchor, by its middle and its size.

A box is (x, y, width, height) in parts of the picture; a map (A * (5 + C), H, W) has for each of A anchors 4 coordinates, whether there
is an object, and C classes.
"""

# A anchors, C classes, H W cells of a grid

from __future__ import annotations

from typing import Any

import numpy as np

from caffepy.layers.base import Layer, Shape
from caffepy.layers.boxes import Floats

COORDINATES = 4


def check_map(layer: Layer, index: int, shape: Shape, anchors: int, classes: int) -> None:
    """LayerError unless a bottom is a map of so many anchors and classes."""
    needed = anchors * (COORDINATES + 1 + classes)
    if len(shape) != 4 or shape[1] != needed:
        what = f"{anchors} boxes of {COORDINATES} coordinates, 1 score and {classes} classes"
        raise layer.fail(f"bottom {index} is {shape}; needed: (N, {needed}, H, W), {what}")


def anchors_of(layer: Layer, biases: Any, number: int) -> Floats:
    """Width and height of each anchor, (A, 2).  LayerError unless two positive numbers are given for each of ``number``.

    More do not count, as in MobileNet-YOLO.
    """
    own = list(biases)[: 2 * number]
    if not number or len(own) < 2 * number or min(own) <= 0:
        raise layer.fail(
            f"biases is given {len(biases)} times; needed: {2 * number} numbers > 0, width and height of each of {number} anchors"
        )
    return np.array(own, np.float32).reshape(-1, 2)


def sigmoid(x: Floats) -> Floats:
    """The logistic function."""
    with np.errstate(over="ignore"):
        found: Floats = np.float32(1) / (np.float32(1) + np.exp(-x))
    return found


def softmax(x: Floats, axis: int) -> Floats:
    """Parts of 1 along an axis."""
    with np.errstate(invalid="ignore"):  # scores of a net that has diverged
        powers = np.exp(x - x.max(axis, keepdims=True))
        found: Floats = powers / powers.sum(axis, keepdims=True)
    return found


def boxes_of(x: Floats, anchors: Floats) -> Floats:
    """Boxes (A, H, W, 4) from coordinates (A, 4, H, W); the anchors (A, 2) are measured in cells."""
    height, width = x.shape[2:]
    left, top = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)[:, None]
    with np.errstate(over="ignore"):
        sides = np.exp(x[:, 2:]) * anchors[:, :, None, None]
    parts = ((sigmoid(x[:, 0]) + left) / width, (sigmoid(x[:, 1]) + top) / height, sides[:, 0] / width, sides[:, 1] / height)
    return np.stack(parts, -1).astype(np.float32)


def common_part(a: Floats, b: Floats) -> Floats:
    """Intersection over union of boxes that broadcast against one another, 0 where there is no union."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        right = np.minimum(a[..., :2] + a[..., 2:] / 2, b[..., :2] + b[..., 2:] / 2)
        size = right - np.maximum(a[..., :2] - a[..., 2:] / 2, b[..., :2] - b[..., 2:] / 2)
        common = np.where((size < 0).any(-1), np.float32(0), size[..., 0] * size[..., 1])
        found: Floats = np.nan_to_num(common / (a[..., 2] * a[..., 3] + b[..., 2] * b[..., 3] - common))
    return found
