"""Regions that are proposed, and their pooling."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def proposal_anchors(base: int, ratios: Sequence[float], scales: Sequence[float]) -> Tensor:
    """Boxes (A, 4) around the first cell: for each ratio of height to width, each scale.

    The sides of a ratio's box are rounded before they are scaled.
    """
    width = torch.floor(torch.sqrt(base**2 / torch.tensor(ratios)) + 0.5)
    height = torch.floor(width * torch.tensor(ratios) + 0.5)
    sides = torch.stack([width, height], 1).unsqueeze(1) * torch.tensor(scales).view(1, -1, 1)
    half = (sides.view(-1, 2) - 1) / 2
    return (base - 1) / 2 + torch.cat([-half, half], 1)


def pixel_overlaps(box: Tensor, others: Tensor) -> Tensor:
    """Intersection over union (M,) of a box with others (M, 4), both ends of a side included."""
    low, high = torch.maximum(box[:2], others[:, :2]), torch.minimum(box[2:], others[:, 2:])
    common = (high - low + 1).prod(1).masked_fill((high < low).any(1), 0)
    areas = (others[:, 2:] - others[:, :2] + 1).prod(1)
    return common / ((box[2:] - box[:2] + 1).prod() + areas - common)


@torch.no_grad()
def proposals(
    scores: Tensor,
    offsets: Tensor,
    picture: Tensor,
    base: int,
    ratios: Sequence[float],
    scales: Sequence[float],
    stride: int = 16,
    min_size: float = 16,
    before: int = 6000,
    after: int = 300,
    threshold: float = 0.7,
) -> tuple[Tensor, Tensor]:
    """Regions that may hold an object (Proposal): (R, 5) of 0, x1, y1, x2, y2, and scores (R,).

    The anchors of each cell are moved by the offsets and clipped to the picture. Those with a side
    below ``min_size`` get the score 0. The best ``before`` are looked at; one that overlaps a
    better one by more than ``threshold`` is dropped, and the first ``after`` are kept.
    """
    anchors = proposal_anchors(base, ratios, scales).to(scores.device)
    rows, columns = scores.shape[2:]
    height, width, scale_y, scale_x = picture.float().flatten()[:4].unbind()
    y = torch.arange(rows, device=scores.device).view(-1, 1).expand(rows, columns) * stride
    x = torch.arange(columns, device=scores.device).expand(rows, columns) * stride
    boxes = (torch.stack([x, y, x, y], 2).unsqueeze(2) + anchors).view(-1, 4)
    moves = offsets.float().view(len(anchors), 4, rows, columns).permute(2, 3, 0, 1).reshape(-1, 4)
    sides = boxes[:, 2:] - boxes[:, :2] + 1
    middle = moves[:, :2] * sides + (boxes[:, :2] + sides / 2)
    half = moves[:, 2:].exp() * sides / 2
    boxes = torch.cat([middle - half, middle + half], 1)
    boxes = torch.minimum(boxes, torch.stack([width, height] * 2) - 1).clamp(min=0)
    least = min_size * torch.stack([scale_x, scale_y])
    large = (boxes[:, 2:] - boxes[:, :2] + 1 >= least).all(1)
    score = scores.float()[0, len(anchors) :].permute(1, 2, 0).flatten() * large
    kept: list[int] = []
    for place in (-score).argsort(stable=True)[:before].tolist():
        if not bool((pixel_overlaps(boxes[place], boxes[kept]) > threshold).any()):
            kept.append(place)
        if len(kept) == after:
            break
    regions = torch.cat([boxes.new_zeros(len(kept), 1), boxes[kept]], 1)
    return regions.to(scores), score[kept].to(scores)


def cell_means(x: Tensor, pictures: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Sums (R, C, PH, PW) of a picture's pixels by weights of rows and columns.

    ``rows`` (R, PH, H), ``columns`` (R, PW, W), ``pictures`` (R,): which picture of the batch.
    """
    return torch.einsum("rih,rchw,rjw->rcij", rows, x[pictures.long()], columns)


def cell_mask(start: Tensor, end: Tensor, cells: int, size: int) -> Tensor:
    """(R, cells, size): 1 where a pixel lies in a cell of a row of cells, else 0."""
    length = (end - start).clamp(min=0.1).view(-1, 1, 1) / cells
    cell = torch.arange(cells, device=start.device).view(-1, 1)
    first = (cell * length + start.view(-1, 1, 1)).floor()
    last = ((cell + 1) * length + start.view(-1, 1, 1)).ceil()
    pixel = torch.arange(size, device=start.device)
    return ((pixel >= first) & (pixel < last)).to(start.dtype)


def psroi_pool(x: Tensor, regions: Tensor, scale: float, outputs: int, group: int) -> Tensor:
    """Means of the cells of a grid over each region, (R, outputs, group, group) (PSROIPooling).

    Cell (i, j) of output d is pooled from channel (d * group + i) * group + j. A region is a
    picture, x1, y1, x2, y2; its corners are rounded, halves away from 0. An empty cell is 0.
    """
    pictures, *corners = regions.detach().reshape(-1, 5).unbind(1)
    x1, y1, x2, y2 = ((n.abs() + 0.5).floor() * n.sign() for n in corners)
    columns = cell_mask(x1 * scale, (x2 + 1) * scale, group, x.shape[3])
    rows = cell_mask(y1 * scale, (y2 + 1) * scale, group, x.shape[2])
    planes = x.view(len(x), outputs, group, group, *x.shape[2:])[pictures.long()]
    sums = torch.einsum("rih,rdijhw,rjw->rdij", rows, planes, columns)
    area = rows.sum(2).unsqueeze(2) * columns.sum(2).unsqueeze(1)
    return sums / area.clamp(min=1).unsqueeze(1)


def point_weights(
    start: Tensor, end: Tensor, cells: int, size: int, points: int, aligned: bool
) -> Tensor:
    """(R, cells, size): the weight of each pixel of an axis in the mean of each cell's points.

    A point weighs the two pixels around it by nearness. One that lies more than a pixel outside
    counts as 0. ``points`` of a cell: 0 for as many as it has pixels, rounded up.
    """
    pixel = torch.arange(size, device=start.device, dtype=start.dtype)
    every = []
    for first, length in zip(start.tolist(), (end - start).tolist()):
        length = max(length, 0.0 if aligned else 1.0) / cells
        number = points if points > 0 else int(-(-length // 1))
        place = torch.arange(cells * number, device=start.device, dtype=start.dtype) + 0.5
        at = (first + place * (length / max(number, 1))).view(cells, number, 1)
        near = (1 - (at.clamp(0, size - 1) - pixel).abs()).clamp(min=0)
        every.append((near * ((at >= -1) & (at <= size))).sum(1) / max(number, 1))
    return torch.stack(every)


def roi_align(
    x: Tensor,
    regions: Tensor,
    pooled_h: int,
    pooled_w: int,
    scale: float,
    points: int = 0,
    aligned: bool = False,
) -> Tensor:
    """Means of points in each cell of a grid over each region, read between the pixels (ROIAlign).

    ``aligned``: pixel i lies at i + 0.5 (Detectron2), else at i, and a region has 1 pixel at least.
    """
    pictures, *corners = regions.detach().to(x.dtype).reshape(-1, 5).unbind(1)
    x1, y1, x2, y2 = (n * scale - (0.5 if aligned else 0.0) for n in corners)
    columns = point_weights(x1, x2, pooled_w, x.shape[3], points, aligned)
    rows = point_weights(y1, y2, pooled_h, x.shape[2], points, aligned)
    return cell_means(x, pictures, rows, columns)
