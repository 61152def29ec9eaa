"""What the layers of YOLO share.

There is a box for each cell of a grid and each anchor, given by its middle and its size.

A box is (x, y, width, height) in parts of the picture; a map (A * (5 + C), H, W) has for each of A
anchors 4 coordinates, whether there is an object, and C classes.
"""

# A anchors, C classes, H W cells of a grid

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from caffepy.layers.common.boxes import Floats
from caffepy.layers.core.base import Layer, Shape

COORDINATES = 4


def check_map(layer: Layer, index: int, shape: Shape, anchors: int, classes: int) -> None:
    """LayerError unless a bottom is a map of so many anchors and classes."""
    needed = anchors * (COORDINATES + 1 + classes)
    if len(shape) != 4 or shape[1] != needed:
        what = f"{anchors} boxes of {COORDINATES} coordinates, 1 score and {classes} classes"
        raise layer.fail(f"bottom {index} is {shape}; needed: (N, {needed}, H, W), {what}")


def anchors_of(layer: Layer, biases: Sequence[float], number: int) -> Floats:
    """Width and height of each anchor, (A, 2).

    LayerError unless two positive numbers are given for each of ``number``.
    More do not count, as in MobileNet-YOLO.
    """
    own = list(biases)[: 2 * number]
    if not number or len(own) < 2 * number or min(own) <= 0:
        raise layer.fail(
            f"biases is given {len(biases)} times; needed: {2 * number} numbers > 0,"
            f" width and height of each of {number} anchors"
        )
    return np.array(own, np.float32).reshape(-1, 2)


def boxes_of(x: Tensor, anchors: Tensor) -> Tensor:
    """Boxes (..., A, H, W, 4) from coordinates (..., A, 4, H, W).

    The anchors (A, 2) are measured in cells.
    """
    height, width = x.shape[-2:]
    left, top = (torch.arange(n, dtype=x.dtype, device=x.device) for n in (width, height))
    middles = x[..., :2, :, :].sigmoid()
    sides = x[..., 2:, :, :].exp() * anchors[:, :, None, None]
    parts = (
        (middles[..., 0, :, :] + left) / width,
        (middles[..., 1, :, :] + top.unsqueeze(1)) / height,
    )
    return torch.stack((*parts, sides[..., 0, :, :] / width, sides[..., 1, :, :] / height), -1)


def common_part(a: Tensor, b: Tensor) -> Tensor:
    """Intersection over union of boxes that broadcast; 0 where there is no union."""
    (ax, ay, aw, ah), (bx, by, bw, bh) = a.unbind(-1), b.unbind(-1)
    width = torch.minimum(ax + aw / 2, bx + bw / 2) - torch.maximum(ax - aw / 2, bx - bw / 2)
    height = torch.minimum(ay + ah / 2, by + bh / 2) - torch.maximum(ay - ah / 2, by - bh / 2)
    common = (width * height).masked_fill((width < 0) | (height < 0), 0)
    return (common / (aw * ah + bw * bh - common)).nan_to_num()
