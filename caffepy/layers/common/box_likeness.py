"""How alike boxes are, and where a box has to go to be more like another.

The measures are IOU, GIOU (Rezatofighi and others 2019), DIOU and CIOU (Zheng and others 2020),
with the exponents and slopes of MobileNet-YOLO's Yolov3 layer, which are those of darknet.

A box is (x, y, width, height) of its middle and sides; all but ``names`` broadcast.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from caffepy.layers.common.grid_boxes import common_part

DISTANCE_POWER = 0.6
"""DIOU takes the distance of middles by the diagonal to this power; the paper to the power 1."""
SMALL = 1e-6


def likeness(a: Tensor, b: Tensor, name: str) -> Tensor:
    """The measure ``name`` of boxes (..., 4), (...); 1 for equal ones.

    IOU: common part by union. GIOU: less the part of the enclosing box that neither covers. DIOU:
    less (distance of middles^2 / diagonal of the enclosing box^2)^0.6. CIOU: less that fraction
    itself and alpha * v, where v = 4 / pi^2 * (difference of atan(width / height))^2 and alpha = v
    / (1 - IOU + v).
    """
    common = common_part(a, b)
    if name not in ("GIOU", "DIOU", "CIOU"):
        return common
    (start, end), (other, other_end) = _edges(a), _edges(b)
    enclosing = torch.maximum(end, other_end) - torch.minimum(start, other)
    if name == "GIOU":
        whole = enclosing.prod(-1)
        inside = a[..., 2:].prod(-1) + b[..., 2:].prod(-1)
        union = inside / (1 + common)  # common = (inside - union) / union
        return common - ((whole - union) / whole).nan_to_num()
    apart = _apart(a, b, enclosing)
    if name == "DIOU":
        return common - apart**DISTANCE_POWER
    unlike, alpha = _unlike(a, b, common)
    return common - (apart + alpha * unlike)


def ascent(a: Tensor, b: Tensor, name: str) -> Tensor:
    """Where boxes ``a`` have to go to be more like ``b``, (..., 4): x, y, width and height.

    The derivative of ``name`` by the edges, as sums for the middle, as differences for the sides
    (twice the derivative by these). Where the boxes have nothing in common, GIOU, DIOU and CIOU
    have only the slope of what they take off. As in the fork, the slope of DIOU's distance has
    exponent 1, and in that by the middle the diagonal's has the other sign.
    """
    (start, end), (other, other_end) = _edges(a), _edges(b)
    zero = torch.zeros_like(start + other)
    # Those of the common part are below 0 where there is none, and its area has then any sign.
    sides = torch.minimum(end, other_end) - torch.maximum(start, other)
    enclosing = torch.maximum(end, other_end) - torch.minimum(start, other)
    common, union = _areas(a, b, sides)
    across, thick = sides.flip(-1), a[..., 2:].flip(-1)
    common_by = (
        -torch.where(start > other, across, zero),
        torch.where(end < other_end, across, zero),
    )
    union_by = -thick - common_by[0], thick - common_by[1]
    starts, ends = (
        torch.where(union > 0, (union * c - common * u) / union**2, zero)
        for c, u in zip(common_by, union_by)
    )
    apart = (sides <= 0).any(-1, keepdim=True)
    starts_out, ends_out = start < other, end > other_end
    if name == "GIOU":
        whole, over = enclosing.prod(-1, keepdim=True), enclosing.flip(-1)
        whole_by = -torch.where(starts_out, over, zero), torch.where(ends_out, over, zero)
        starts, ends = (
            torch.where(apart, zero, slope) + (whole * u - union * w) / whole**2
            for slope, u, w in zip((starts, ends), union_by, whole_by)
        )
    slopes = torch.cat((starts + ends, ends - starts), -1)
    if name not in ("DIOU", "CIOU"):
        return slopes
    extra = _distance_ascent(a, b, enclosing, starts_out, ends_out)
    if name == "CIOU":
        extra = extra + _shape_ascent(a, b, (common / union)[..., 0])
    return slopes.masked_fill(apart, 0) + extra


def _distance_ascent(
    a: Tensor, b: Tensor, enclosing: Tensor, starts_out: Tensor, ends_out: Tensor
) -> Tensor:
    """The slopes of -(distance of middles / diagonal)^2, with the fork's sign, (..., 4)."""
    toward = b[..., :2] - a[..., :2]
    distance = toward.square().sum(-1, keepdim=True)
    diagonal = enclosing.square().sum(-1, keepdim=True)
    begins, finishes = starts_out.to(a.dtype), ends_out.to(a.dtype)
    by_middle = 2 * enclosing * (finishes - begins)
    by_side = enclosing * (finishes + begins)
    parts = (2 * toward * diagonal - by_middle * distance, by_side * distance)
    return torch.cat(parts, -1) / diagonal**2


def _shape_ascent(a: Tensor, b: Tensor, common: Tensor) -> Tensor:
    """The slopes of -alpha * v by width and height, times both squared; 0 by the middle."""
    _, alpha = _unlike(a, b, common)
    turn = 8 / math.pi**2 * alpha * (_angle(b) - _angle(a))
    zero = torch.zeros_like(turn)
    return torch.stack((zero, zero, turn * a[..., 3], -turn * a[..., 2]), -1)


def _edges(box: Tensor) -> tuple[Tensor, Tensor]:
    """Left and top, right and bottom, (..., 2) each."""
    return box[..., :2] - box[..., 2:] / 2, box[..., :2] + box[..., 2:] / 2


def _areas(a: Tensor, b: Tensor, sides: Tensor) -> tuple[Tensor, Tensor]:
    """The common part, of these sides, and the union, (..., 1)."""
    common = sides.prod(-1, keepdim=True)
    return common, a[..., 2:].prod(-1, keepdim=True) + b[..., 2:].prod(-1, keepdim=True) - common


def _angle(box: Tensor) -> Tensor:
    return (box[..., 2] / box[..., 3]).atan()


def _unlike(a: Tensor, b: Tensor, common: Tensor) -> tuple[Tensor, Tensor]:
    """CIOU's v and alpha, (...)."""
    unlike = 4 / math.pi**2 * (_angle(b) - _angle(a)).square()
    return unlike, unlike / (1 - common + unlike + SMALL)


def _apart(a: Tensor, b: Tensor, enclosing: Tensor) -> Tensor:
    """(Distance of the middles / diagonal of the enclosing box)^2, (...); 0 for no box."""
    distance = (a[..., :2] - b[..., :2]).square().sum(-1)
    return (distance / enclosing.square().sum(-1)).nan_to_num()
