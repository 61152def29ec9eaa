"""Boxes: their overlaps, codes and suppression, in float32 and in SSD's order of things.

A box is (xmin, ymin, xmax, ymax) in parts of the picture; tensors of boxes are (..., 4) float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, is_readable
from caffepy.proto import caffe_pb2

CORNER = caffe_pb2.PriorBoxParameter.CORNER
CENTER_SIZE = caffe_pb2.PriorBoxParameter.CENTER_SIZE
CORNER_SIZE = caffe_pb2.PriorBoxParameter.CORNER_SIZE
FIT_SMALL_SIZE = caffe_pb2.ResizeParameter.FIT_SMALL_SIZE
FIT_LARGE_SIZE_AND_PAD = caffe_pb2.ResizeParameter.FIT_LARGE_SIZE_AND_PAD
Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]
BLOCK = 512
"""So many boxes are compared with one another at once."""
STEPS = 16


class HasClasses(Protocol):
    """A message with a field ``num_classes``."""

    @property
    def num_classes(self) -> int: ...
    def HasField(self, field_name: str) -> bool: ...


def class_count(layer: Layer, message: HasClasses) -> int:
    """``num_classes`` of a detection layer's message."""
    if not message.HasField("num_classes") or message.num_classes < 1:
        raise layer.fail(
            "num_classes is not given; needed: the number of classes with the background"
        )
    return int(message.num_classes)


def on_host(tensor: Tensor) -> Floats:
    """The values as an array."""
    array: Floats = tensor.detach().cpu().float().numpy()
    return array


def present(mask: Tensor) -> Tensor:
    """Where ``mask`` (M,) is true.

    On a GPU, which would have to be waited for: all places, and ``mask`` has to be heeded later.
    """
    return (
        mask.nonzero()[:, 0] if is_readable(mask) else torch.arange(len(mask), device=mask.device)
    )


def priors_and_variances(bottom: Tensor) -> tuple[Tensor, Tensor]:
    """What a PriorBox made, (1, 2, 4P): priors (P, 4) and variances (P, 4)."""
    priors, variances = bottom.detach().float().reshape(2, -1, 4)
    return priors, variances


def decode(
    offsets: Tensor, priors: Tensor, variances: Tensor, code: int, *, in_target: bool
) -> Tensor:
    """Boxes from offsets (..., P, 4) to the priors (P, 4), or those of each (..., P, 4).

    The variances are part of the code unless ``in_target``.
    """
    if not in_target:
        offsets = offsets * variances
    if code == CORNER:
        return offsets + priors
    size = priors[..., 2:] - priors[..., :2]
    if code == CORNER_SIZE:
        return offsets * torch.cat((size, size), -1) + priors
    center = (priors[..., :2] + priors[..., 2:]) / 2
    half = offsets[..., 2:].exp() * size / 2
    middle = offsets[..., :2] * size + center
    return torch.cat((middle - half, middle + half), -1)


def encode(
    boxes: Tensor, priors: Tensor, variances: Tensor, code: int, *, in_target: bool
) -> Tensor:
    """The reverse of `decode`, box by box: (M, 4) each."""
    size = priors[:, 2:] - priors[:, :2]
    if code == CORNER:
        offsets = boxes - priors
    elif code == CORNER_SIZE:
        offsets = (boxes - priors) / torch.cat((size, size), 1)
    else:
        away = (boxes[:, :2] + boxes[:, 2:]) / 2 - (priors[:, :2] + priors[:, 2:]) / 2
        offsets = torch.cat((away / size, ((boxes[:, 2:] - boxes[:, :2]) / size).log()), 1)
    return offsets if in_target else offsets / variances


def areas(boxes: Tensor, *, extra: float = 0.0) -> Tensor:
    """Area of each box, 0 if it ends before it starts.

    ``extra`` is added to width and height (1 for pixels).
    """
    width, height = (boxes[..., 2:] - boxes[..., :2]).unbind(-1)
    return ((width + extra) * (height + extra)).masked_fill((width < 0) | (height < 0), 0)


def overlaps(
    a: Tensor, b: Tensor, *, extra: float = 0.0, extra_area: float | None = None
) -> Tensor:
    """Intersection over union of boxes that broadcast against one another, 0 if that is no number.

    Where they do not meet ``extra``² counts as common. ``extra_area``: what the sides of a box
    itself are longer by, if not by ``extra`` as those of what is common.
    """
    ax1, ay1, ax2, ay2 = (edge.contiguous() for edge in a.unbind(-1))
    bx1, by1, bx2, by2 = (edge.contiguous() for edge in b.unbind(-1))
    width = torch.minimum(ax2, bx2).sub(torch.maximum(ax1, bx1))
    height = torch.minimum(ay2, by2).sub(torch.maximum(ay1, by1))
    if extra:
        apart = (ax1 > bx2) | (ay1 > by2) | (bx1 > ax2) | (by1 > ay2)
        width, height = (size.masked_fill(apart, 0).add_(extra) for size in (width, height))
    common = width.clamp_(min=0).mul_(height.clamp_(min=0))
    own = extra if extra_area is None else extra_area
    union = (areas(a, extra=own) + areas(b, extra=own)).sub(common)
    return torch.where(common > 0, common.div(union), 0.0).nan_to_num_(0.0)


Overlap = Callable[[Tensor, Tensor], Tensor]
"""Of boxes that broadcast against one another."""


def suppress(
    boxes: Tensor,
    scores: Tensor,
    p: caffe_pb2.NonMaximumSuppressionParameter,
    *,
    top_k: int,
    least_area: float = 0.0,
) -> Tensor:
    """Non-maximum suppression: the boxes that remain, best score first.

    A box is dropped that overlaps a better one by more than the threshold.

    ``p``: NonMaximumSuppressionParameter; its ``eta`` below 1 lowers the threshold after each kept
    box while it is above 0.5. ``top_k``: only so many of the best are looked at; -1: all. Of these
    boxes smaller than ``least_area`` are dropped.
    """
    order = (-scores).argsort(stable=True)
    if top_k > -1:
        order = order[:top_k]
    order = order[areas(boxes[order]) >= least_area]
    return order[unsuppressed(boxes[order], overlaps, p.nms_threshold, eta=p.eta)]


def unsuppressed(
    boxes: Tensor, overlap: Overlap, threshold: float, *, eta: float = 1.0, most: int | None = None
) -> Tensor:
    """Places of the boxes (M, 4), best first, on the CPU, that overlap no earlier one too much.

    ``most``: how many at most.
    """
    kept: list[int] = []
    for start in range(0, len(boxes), BLOCK):
        block = boxes[start : start + BLOCK]
        among = overlap(block[:, None], block).numpy()
        worst = (
            overlap(boxes[kept][:, None], block).amax(0).numpy()
            if kept
            else np.zeros(len(block), np.float32)
        )
        for i in range(len(block)):
            if worst[i] <= threshold:
                kept.append(start + i)
                if len(kept) == most:
                    return torch.tensor(kept)
                np.maximum(worst, among[i], out=worst)
                if eta < 1 and threshold > 0.5:
                    threshold *= eta
    return torch.tensor(kept, dtype=torch.int64)


def unsuppressed_together(
    over: Tensor, good: Tensor, numbers: Callable[[Tensor], Tensor]
) -> tuple[Tensor, list[int]]:
    """What `unsuppressed` finds, as a mask (..., M), for many lists at once on a GPU.

    The host waits once, for ``numbers`` of the mask. ``over`` (..., M, M): whether a box overlaps
    another too much, M of a list, best first. ``good`` (..., M): those that count. A box is kept if
    no kept one before it overlaps it too much: repeated, this settles from the first box on, in far
    fewer steps than boxes; only if not in `STEPS`, the host waits again.
    """
    over = over.triu(1)
    kept = good
    while True:
        for _ in range(STEPS):
            before = kept
            kept = good & ~(over & kept.unsqueeze(-1)).any(-2)
        settled, *counts = torch.cat(
            ((before == kept).all().long().view(1), numbers(kept).flatten())
        ).tolist()
        if settled:
            return kept, counts


def scales(resize: caffe_pb2.ResizeParameter | None) -> bool:
    """Whether boxes are measured in parts of a ResizeParameter's size.

    Its height_scale and width_scale give that.
    """
    return (
        resize is not None
        and resize.resize_mode == FIT_SMALL_SIZE
        and bool(resize.height_scale and resize.width_scale)
    )


def in_pixels(
    boxes: Floats, height: int, width: int, resize: caffe_pb2.ResizeParameter | None = None
) -> Floats:
    """Boxes (M, 4) clipped to their picture, in its pixels.

    ``resize``: the ResizeParameter by which the picture was made to fit.
    """
    if resize is not None and resize.resize_mode == FIT_LARGE_SIZE_AND_PAD:
        # Only the middle of the padded picture is the picture.
        room = np.array([resize.width, resize.height], np.float32)
        used = min(resize.width / width, resize.height / height) * np.array(
            [width, height], np.float32
        )
        start = (room - used) / 2 / room
        outside = ((boxes[:, :2] >= 1 - start) | (boxes[:, 2:] <= start)).any(1, keepdims=True)
        # A box beside the picture stays as it is, as in SSD.
        boxes = np.where(outside, boxes, (boxes - np.tile(start, 2)) / np.tile(1 - 2 * start, 2))
    size = np.array([width, height, width, height], np.float32)
    if resize is not None and scales(resize):
        scaled: Floats = boxes * np.tile(
            np.array([resize.width_scale, resize.height_scale], np.float32), 2
        )
        return scaled.clip(0, size)
    pixels: Floats = boxes.clip(0, 1) * size
    return pixels
