"""Boxes on the host: their overlaps, codes and suppression, in float32 and in SSD's order of things.

A box is (xmin, ymin, xmax, ymax) in parts of the picture; arrays of boxes are (..., 4) float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from torch import Tensor

from caffepy.layers.base import Layer
from caffepy.proto import caffe_pb2

CORNER, CENTER_SIZE, CORNER_SIZE = (caffe_pb2.PriorBoxParameter.CodeType.Value(name) for name in ("CORNER", "CENTER_SIZE", "CORNER_SIZE"))
FIT_SMALL_SIZE, FIT_LARGE_SIZE_AND_PAD = (
    caffe_pb2.ResizeParameter.Resize_mode.Value(name) for name in ("FIT_SMALL_SIZE", "FIT_LARGE_SIZE_AND_PAD")
)
Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]


def class_count(layer: Layer, message: Any) -> int:
    """``num_classes`` of a detection layer's message."""
    if not message.HasField("num_classes") or message.num_classes < 1:
        raise layer.fail("num_classes is not given; needed: the number of classes with the background")
    return int(message.num_classes)


def on_host(tensor: Tensor) -> Floats:
    """The values as an array."""
    found: Floats = tensor.detach().cpu().float().numpy()
    return found


def priors_and_variances(bottom: Tensor) -> tuple[Floats, Floats]:
    """What a PriorBox made, (1, 2, 4P): priors (P, 4) and variances (P, 4)."""
    priors, variances = on_host(bottom).reshape(2, -1, 4)
    return priors, variances


def decode(offsets: Floats, priors: Floats, variances: Floats, code: int, *, in_target: bool) -> Floats:
    """Boxes from offsets (..., P, 4) to the priors (P, 4), or those of each (..., P, 4).

    The variances are part of the code unless ``in_target``.
    """
    if not in_target:
        offsets = offsets * variances
    if code == CORNER:
        return offsets + priors
    size = priors[..., 2:] - priors[..., :2]
    if code == CORNER_SIZE:
        return offsets * np.concatenate((size, size), -1) + priors
    center = (priors[..., :2] + priors[..., 2:]) / np.float32(2)
    with np.errstate(over="ignore"):
        half = np.exp(offsets[..., 2:]) * size / np.float32(2)
    middle = offsets[..., :2] * size + center
    return np.concatenate((middle - half, middle + half), -1)


def encode(boxes: Floats, priors: Floats, variances: Floats, code: int, *, in_target: bool) -> Floats:
    """The reverse of `decode`, box by box: (M, 4) each."""
    size = priors[:, 2:] - priors[:, :2]
    if code == CORNER:
        offsets = boxes - priors
    elif code == CORNER_SIZE:
        offsets = (boxes - priors) / np.concatenate((size, size), 1)
    else:
        away = (boxes[:, :2] + boxes[:, 2:]) / np.float32(2) - (priors[:, :2] + priors[:, 2:]) / np.float32(2)
        offsets = np.concatenate((away / size, np.log((boxes[:, 2:] - boxes[:, :2]) / size)), 1)
    return offsets if in_target else offsets / variances


def areas(boxes: Floats, *, extra: float = 0.0) -> Floats:
    """Area of each box, 0 if it ends before it starts; ``extra`` is added to width and height (1 for pixels)."""
    with np.errstate(invalid="ignore", over="ignore"):  # boxes of a net that has diverged
        width, height = boxes[..., 2] - boxes[..., 0], boxes[..., 3] - boxes[..., 1]
        found: Floats = np.where((width < 0) | (height < 0), np.float32(0), (width + np.float32(extra)) * (height + np.float32(extra)))
    return found


def overlaps(a: Floats, b: Floats, *, extra: float = 0.0, extra_area: float | None = None) -> Floats:
    """Intersection over union of boxes that broadcast against one another.  Where they do not meet ``extra``² counts as common.

    ``extra_area``: what the sides of a box itself are longer by, if not by ``extra`` as those of what is common.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # also of a net that has diverged
        return _overlaps(a, b, extra, extra if extra_area is None else extra_area)


def _overlaps(a: Floats, b: Floats, extra: float, own: float) -> Floats:
    left, right = np.maximum(a[..., :2], b[..., :2]), np.minimum(a[..., 2:], b[..., 2:])
    apart = ((a[..., :2] > b[..., 2:]) | (b[..., :2] > a[..., 2:])).any(-1, keepdims=True)
    size = np.where(apart, np.float32(0), right - left) + np.float32(extra)
    common = np.where((size <= 0).any(-1), np.float32(0), size[..., 0] * size[..., 1])
    union = areas(a, extra=own) + areas(b, extra=own) - common
    found: Floats = np.where(common > 0, common / np.where(common > 0, union, np.float32(1)), np.float32(0))
    return found


def suppress(boxes: Floats, scores: Floats, p: Any, *, top_k: int, least_area: float = 0.0) -> Indices:
    """Boxes that remain, best score first, when those are dropped that overlap a better one by more than the threshold.

    ``p``: NonMaximumSuppressionParameter; its ``eta`` below 1 lowers the threshold after each kept box while it is above 0.5.
    ``top_k``: only so many of the best are looked at; -1: all. Of these boxes smaller than ``least_area`` are dropped.
    """
    order = np.argsort(-scores, kind="stable")
    if top_k > -1:
        order = order[:top_k]
    order = order[areas(boxes[order]) >= least_area]
    candidates, worst, threshold = boxes[order], np.zeros(len(order), np.float32), float(np.float32(p.nms_threshold))
    kept = []
    for i in range(len(order)):
        if worst[i] <= threshold:
            kept.append(i)
            worst = np.maximum(worst, overlaps(candidates[i], candidates))
            if p.eta < 1 and threshold > 0.5:
                threshold *= p.eta
    return order[kept]


def scales(resize: Any) -> bool:
    """Whether boxes are in parts of the size that a ResizeParameter, or None, gives by height_scale and width_scale."""
    return resize is not None and resize.resize_mode == FIT_SMALL_SIZE and bool(resize.height_scale and resize.width_scale)


def in_pixels(boxes: Floats, height: int, width: int, resize: Any = None) -> Floats:
    """Boxes (M, 4) clipped to their picture, in its pixels.  ``resize``: the ResizeParameter by which the picture was made to fit."""
    if resize is not None and resize.resize_mode == FIT_LARGE_SIZE_AND_PAD:
        # Only the middle of the padded picture is the picture.
        room = np.array([resize.width, resize.height], np.float32)
        used = min(resize.width / width, resize.height / height) * np.array([width, height], np.float32)
        start = (room - used) / 2 / room
        outside = ((boxes[:, :2] >= 1 - start) | (boxes[:, 2:] <= start)).any(1, keepdims=True)
        # A box beside the picture stays as it is, as in SSD.
        boxes = np.where(outside, boxes, (boxes - np.tile(start, 2)) / np.tile(1 - 2 * start, 2))
    size = np.array([width, height, width, height], np.float32)
    if scales(resize):
        scaled: Floats = boxes * np.tile(np.array([resize.width_scale, resize.height_scale], np.float32), 2)
        return scaled.clip(0, size)
    found: Floats = boxes.clip(0, 1) * size
    return found
