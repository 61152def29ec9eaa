"""SSD's loss."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def box_overlaps(a: Tensor, b: Tensor) -> Tensor:
    """Intersection over union of boxes (..., 4) of corners that broadcast."""
    sides = torch.minimum(a[..., 2:], b[..., 2:]) - torch.maximum(a[..., :2], b[..., :2])
    common = sides.clamp(min=0).prod(-1)
    areas = [(x[..., 2:] - x[..., :2]).clamp(min=0).prod(-1) for x in (a, b)]
    return (common / (areas[0] + areas[1] - common)).nan_to_num()


def match_boxes(objects: Tensor, boxes: Tensor, threshold: float | None) -> tuple[Tensor, Tensor]:
    """For each box (P, 4) the index of its object, or -1, and its largest overlap with any.

    One object after the other, the largest overlap first, gets the box that it overlaps most.
    Then with ``threshold`` each box that is left gets the object that it overlaps most, if by that
    or more (match_type PER_PREDICTION).
    """
    matched = torch.full((len(boxes),), -1, device=boxes.device)
    if not len(objects):
        return matched, torch.zeros_like(boxes[:, 0])
    common = box_overlaps(boxes.unsqueeze(1), objects)
    common = common.masked_fill(common <= 1e-6, 0)
    most, nearest = common.max(1)
    free = common.clone()
    for _ in range(len(objects)):
        box, owner = divmod(int(free.argmax()), len(objects))
        if free[box, owner] > 0:
            matched[box] = owner
            free[box], free[:, owner] = 0, 0
    if threshold is not None:
        taken = (matched < 0) & (most > 0) & (most >= threshold)
        matched = torch.where(taken, nearest, matched)
    return matched, most


def encode_boxes(boxes: Tensor, priors: Tensor, code: str) -> Tensor:
    """Offsets of boxes to priors, (M, 4) each, by SSD's code_type."""
    if code == "CORNER":
        return boxes - priors
    size = priors[:, 2:] - priors[:, :2]
    if code == "CORNER_SIZE":
        return (boxes - priors) / torch.cat([size, size], 1)
    away = (boxes[:, :2] + boxes[:, 2:]) / 2 - (priors[:, :2] + priors[:, 2:]) / 2
    return torch.cat([away / size, torch.log((boxes[:, 2:] - boxes[:, :2]) / size)], 1)


def multibox_loss(
    locations: Tensor,
    scores: Tensor,
    priors: Tensor,
    objects: Tensor,
    classes: int,
    background: int = 0,
    threshold: float | None = 0.5,
    negatives: float | None = 3.0,
    neg_overlap: float = 0.5,
    difficult: bool = True,
    code: str = "CORNER",
    in_target: bool = False,
    loc_weight: float = 1.0,
    smooth: bool = True,
    normalization: str = "VALID",
) -> Tensor:
    """SSD's loss: of the offsets of matched boxes, and of the scores of these and hard examples.

    ``objects`` (..., 8): item, label, instance, xmin, ymin, xmax, ymax, difficult. Hard examples
    are the boxes with the highest loss among those that overlap every object by less than
    ``neg_overlap``, ``negatives`` times as many as are matched; None: all boxes learn their score.
    The sum is divided by the matches (VALID), all boxes (FULL), items (BATCH_SIZE) or 1 (NONE).
    Derivative: variances in the target (``in_target``) do not scale that of the offsets.
    """
    n = len(locations)
    boxes, variances = priors.detach().float().view(2, -1, 4)
    offsets, rows = locations.view(n, -1, 4), scores.view(n, -1, classes)
    every = objects.detach().float().view(-1, 8)
    every = every[(every[:, 7] == 0) | difficult]
    total, matches = scores.sum() * 0, 0
    for item in range(n):
        own = every[every[:, 0] == item]
        matched, most = match_boxes(own[:, 3:7], boxes, threshold)
        positive = (matched >= 0).nonzero()[:, 0]
        label = torch.full_like(matched, background)
        label[positive] = own[matched[positive], 1].long()
        wanted = encode_boxes(own[matched[positive], 3:7], boxes[positive], code)
        wanted = wanted / variances[positive]
        given = offsets[item, positive]
        if in_target:
            given = given + (given / variances[positive] - given).detach()
        loss = F.smooth_l1_loss if smooth else F.mse_loss
        error = loss(given, wanted.to(given.dtype), reduction="sum")
        total = total + loc_weight * (error if smooth else error / 2)
        chosen = torch.arange(len(boxes), device=boxes.device)
        if negatives is not None:
            losses = F.cross_entropy(rows[item].detach().float(), label, reduction="none")
            could = ((matched < 0) & (most < neg_overlap)).nonzero()[:, 0]
            hardest = could[(-losses[could]).argsort(stable=True)]
            chosen = torch.cat([positive, hardest[: int(len(positive) * negatives)]])
        total = total + F.cross_entropy(rows[item, chosen], label[chosen], reduction="sum")
        matches += len(positive)
    parts = {"VALID": matches, "FULL": n * len(boxes), "BATCH_SIZE": n, "NONE": 1}
    return total / max(1, parts[normalization])
