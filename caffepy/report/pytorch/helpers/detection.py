"""SSD's boxes, and Fast R-CNN's pooling of regions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor


def prior_boxes(
    features: Tensor,
    picture: Tensor,
    min_sizes: Sequence[float],
    max_sizes: Sequence[float] = (),
    ratios: Sequence[float] = (),
    variances: Sequence[float] = (0.1, 0.1, 0.1, 0.1),
    flip: bool = True,
    clip: bool = False,
    size: Sequence[float] | None = None,
    step: Sequence[float] | None = None,
    offset: float = 0.5,
) -> Tensor:
    """Boxes around the center of each cell of a feature map (PriorBox).

    For each minimum: the square, a square of sqrt(minimum * maximum), and the ratios other than 1,
    with ``flip`` each followed by its inverse. The result is (1, 2, 4 * boxes): corners in parts
    of the picture, row by row, then as many variances. ``size``, ``step``: height and width of the
    picture and of a cell, where they are not those of the blobs.
    """
    shapes = [ratio for given in ratios for ratio in ([given, 1 / given] if flip else [given])]
    boxes, known = [], [1.0]
    for ratio in shapes:
        if all(abs(ratio - other) >= 1e-6 for other in known):
            known.append(ratio)
    for i, least in enumerate(int(n) for n in min_sizes):
        boxes.append((float(least), float(least)))
        boxes += [(math.sqrt(least * int(max_sizes[i])),) * 2] if max_sizes else []
        boxes += [(least * math.sqrt(ratio), least / math.sqrt(ratio)) for ratio in known[1:]]
    (rows, columns), (height, width) = features.shape[2:], size or picture.shape[2:]
    step_h, step_w = step or (height / rows, width / columns)
    y = ((torch.arange(rows, dtype=torch.float64) + offset) * step_h).view(-1, 1, 1)
    x = ((torch.arange(columns, dtype=torch.float64) + offset) * step_w).view(1, -1, 1)
    w, h = torch.tensor(boxes, dtype=torch.float64).unbind(1)
    edges = [(x - w / 2) / width, (y - h / 2) / height, (x + w / 2) / width, (y + h / 2) / height]
    corners = torch.stack([edge.expand(rows, columns, len(boxes)) for edge in edges], -1).flatten()
    corners = corners.clamp(0, 1) if clip else corners
    spread = torch.tensor(variances, dtype=torch.float64).repeat(len(corners) // 4)
    return torch.stack([corners, spread]).unsqueeze(0).to(features)


def decode_boxes(
    offsets: Tensor,
    priors: Tensor,
    variances: Tensor,
    code: str,
    in_target: bool,
) -> Tensor:
    """Boxes (..., P, 4) from offsets to the priors (P, 4), by SSD's code_type."""
    offsets = offsets if in_target else offsets * variances
    if code == "CORNER":
        return offsets + priors
    size = priors[:, 2:] - priors[:, :2]
    if code == "CORNER_SIZE":
        return offsets * torch.cat([size, size], 1) + priors
    center = (priors[:, :2] + priors[:, 2:]) / 2
    middle, half = offsets[..., :2] * size + center, offsets[..., 2:].exp() * size / 2
    return torch.cat([middle - half, middle + half], -1)


def box_areas(boxes: Tensor) -> Tensor:
    """Areas, 0 for a box that ends before it starts."""
    width, height = boxes[..., 2] - boxes[..., 0], boxes[..., 3] - boxes[..., 1]
    return (width * height).masked_fill((width < 0) | (height < 0), 0)


def suppress_boxes(
    boxes: Tensor,
    scores: Tensor,
    threshold: float,
    top_k: int,
    eta: float,
) -> Tensor:
    """Places of the boxes that stay, best first, when those go that overlap a better one too much.

    ``top_k``: only so many of the best are looked at (-1: all). ``eta`` below 1 lowers the
    threshold after each box while it is above 0.5.
    """
    order = (-scores).argsort(stable=True)
    order = order[:top_k] if top_k > -1 else order
    order = order[box_areas(boxes[order]) >= 0]
    kept: list[int] = []
    for place in order.tolist():
        box, others = boxes[place], boxes[kept]
        low, high = torch.maximum(box[:2], others[:, :2]), torch.minimum(box[2:], others[:, 2:])
        common = (high - low).clamp(min=0).prod(1)
        union = box_areas(box) + box_areas(others) - common
        overlap = torch.where(common > 0, common / union, torch.zeros(())).nan_to_num()
        if not bool((overlap > threshold).any()):
            kept.append(place)
            threshold *= eta if eta < 1 and threshold > 0.5 else 1
    return torch.tensor(kept, dtype=torch.int64)


def detection_output(
    locations: Tensor,
    scores: Tensor,
    priors: Tensor,
    classes: int,
    background: int = 0,
    share_location: bool = True,
    threshold: float = -math.inf,
    nms_threshold: float = 0.3,
    top_k: int = -1,
    eta: float = 1,
    keep_top_k: int = -1,
    code: str = "CORNER",
    in_target: bool = False,
) -> Tensor:
    """What SSD finds (DetectionOutput), (1, 1, D, 7): item, label, score, xmin, ymin, xmax, ymax.

    Of each label the boxes whose score exceeds ``threshold`` and that stay when overlapping ones
    are suppressed; of each item the ``keep_top_k`` best. Where nothing is found: for each item a
    row of its number and -1s.
    """
    boxes, variances = priors.float().cpu().reshape(2, -1, 4)
    items = len(locations)
    offsets = locations.float().cpu().reshape(items, len(boxes), -1, 4).transpose(1, 2)
    by_label = scores.float().cpu().reshape(items, len(boxes), classes).transpose(1, 2)
    places = decode_boxes(offsets, boxes, variances, code, in_target)
    found = [torch.empty(0, 7)]
    for item in range(items):
        rows = [torch.empty(0, 7)]
        for label in range(classes):
            if label != background:
                score, own = by_label[item, label], places[item, 0 if share_location else label]
                chosen = (score > threshold).nonzero()[:, 0]
                kept = suppress_boxes(own[chosen], score[chosen], nms_threshold, top_k, eta)
                chosen = chosen[kept]
                head = torch.tensor([item, label], dtype=torch.float32).expand(len(chosen), 2)
                rows.append(torch.cat([head, score[chosen, None], own[chosen]], 1))
        every = torch.cat(rows)
        if -1 < keep_top_k < len(every):
            every = every[(-every[:, 2]).argsort(stable=True)[:keep_top_k].sort().values]
        found.append(every)
    result = torch.cat(found)
    if not len(result):
        result = torch.full((items, 7), -1.0)
        result[:, 0] = torch.arange(items)
    return result.to(locations).view(1, 1, -1, 7)


def roi_pool(x: Tensor, regions: Tensor, pooled_h: int, pooled_w: int, scale: float) -> Tensor:
    """The maximum in each cell of a grid over each region, 0 in empty cells (ROIPooling).

    A region is a picture, x1, y1, x2, y2, both ends included.
    """
    rows = []
    for picture, *corners in regions.reshape(-1, 5).tolist():
        x1, y1, x2, y2 = (int(math.copysign(math.floor(abs(n * scale) + 0.5), n)) for n in corners)
        for i in range(pooled_h):
            top, bottom = roi_cell(y1, y2, i, pooled_h, x.shape[2])
            for j in range(pooled_w):
                left, right = roi_cell(x1, x2, j, pooled_w, x.shape[3])
                cell = x[int(picture), :, top:bottom, left:right]
                rows.append(cell.amax((1, 2)) if cell.numel() else x.new_zeros(x.shape[1]))
    return torch.stack(rows).view(-1, pooled_h, pooled_w, x.shape[1]).permute(0, 3, 1, 2)


def roi_cell(first: int, last: int, cell: int, cells: int, size: int) -> tuple[int, int]:
    """Start and end of a cell between two places of an axis."""
    length = max(last - first + 1, 1) / cells
    start, end = first + math.floor(cell * length), first + math.ceil((cell + 1) * length)
    return min(max(start, 0), size), min(max(end, 0), size)
