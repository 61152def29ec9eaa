"""YOLO's boxes, what is found by them, and its losses."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.report.pytorch.helpers.gradient import with_gradient


def yolo_boxes(x: Tensor, anchors: Tensor) -> Tensor:
    """Middles and sides (..., A, H, W, 4) as parts of the picture, from (..., A, 4 or more, H, W).

    The first two of the four are places in the cell, before the logistic function, the others logs
    of the sides as parts of the anchors (A, 2), which are measured in cells.
    """
    rows, columns = x.shape[-2:]
    left = torch.arange(columns, dtype=x.dtype, device=x.device)
    top = torch.arange(rows, dtype=x.dtype, device=x.device).unsqueeze(1)
    width, height = anchors.to(x).view(-1, 2, 1, 1).unbind(1)
    middle_x = (torch.sigmoid(x[..., 0, :, :]) + left) / columns
    middle_y = (torch.sigmoid(x[..., 1, :, :]) + top) / rows
    sides = [
        torch.exp(x[..., 2, :, :]) * width / columns,
        torch.exp(x[..., 3, :, :]) * height / rows,
    ]
    return torch.stack([middle_x, middle_y, *sides], -1)


def yolo_overlaps(a: Tensor, b: Tensor) -> Tensor:
    """Intersection over union of boxes (..., 4) of middle and sides; 0 where there is no union."""
    low = torch.maximum(a[..., :2] - a[..., 2:] / 2, b[..., :2] - b[..., 2:] / 2)
    high = torch.minimum(a[..., :2] + a[..., 2:] / 2, b[..., :2] + b[..., 2:] / 2)
    common = (high - low).prod(-1).masked_fill((high < low).any(-1), 0)
    return (common / (a[..., 2:].prod(-1) + b[..., 2:].prod(-1) - common)).nan_to_num()


def shape_overlaps(a: Tensor, b: Tensor) -> Tensor:
    """Intersection over union of boxes with the same middle, from their sides (..., 2)."""
    return yolo_overlaps(torch.cat([a * 0, a], -1), torch.cat([b * 0, b], -1))


@torch.no_grad()
def yolo_detections(
    maps: Sequence[Tensor],
    anchors: Sequence[Sequence[Sequence[float]]],
    threshold: float,
    nms_threshold: float,
    every_class: bool = False,
) -> Tensor:
    """What YOLO finds, (1, 1, D, 7): item, label from 1 on, score, xmin, ymin, xmax, ymax.

    ``maps`` (N, A * (5 + C), H, W) have coordinates, score and classes of each anchor. A box whose
    score times that of its best class reaches ``threshold`` counts (YoloDetectionOutput); with
    ``every_class`` one counts for each class whose logistic score, times the box's, exceeds it
    (Yolov3DetectionOutput). Of boxes that overlap by ``nms_threshold`` the better one stays,
    whatever their classes. Where nothing is found: for each item a row of its number and -1s.
    """
    found = []
    for item in range(len(maps[0])):
        candidates = []
        for whole, sides in zip(maps, anchors):
            x = whole[item].float().view(len(sides), -1, *whole.shape[2:])
            boxes = yolo_boxes(x, torch.tensor(sides)).permute(1, 2, 0, 3).reshape(-1, 4)
            rest = x[:, 4:].permute(2, 3, 0, 1).reshape(len(boxes), -1)
            score, classes = torch.sigmoid(rest[:, 0]), rest[:, 1:]
            if every_class:
                each = score.unsqueeze(1) * torch.sigmoid(classes)
                place, label = (each > threshold).nonzero().unbind(1)
                best = each[place, label]
            else:
                likely, label = torch.softmax(classes, 1).max(1)
                best = score * likely
                place = (best >= threshold).nonzero()[:, 0]
                best, label = best[place], label[place]
            candidates.append(torch.cat([label[:, None] + 1.0, best[:, None], boxes[place]], 1))
        rows = torch.cat(candidates)
        rows = rows[(-rows[:, 1]).argsort(stable=True)]
        kept: list[int] = []
        for i in range(len(rows)):
            if not bool((yolo_overlaps(rows[kept, 2:], rows[i, 2:]) >= nms_threshold).any()):
                kept.append(i)
        rows = rows[kept]
        half = rows[:, 4:] / 2
        corners = [rows[:, 2:4] - half, rows[:, 2:4] + half]
        found.append(
            torch.cat([torch.full((len(rows), 1), float(item)).to(rows), rows[:, :2], *corners], 1)
        )
    result = torch.cat(found)
    if not len(result):
        result = torch.full((len(maps[0]), 7), -1.0)
        result[:, 0] = torch.arange(len(maps[0]))
    return result.to(maps[0]).view(1, 1, -1, 7)


def region_loss(
    x: Tensor,
    objects: Tensor,
    anchors: Sequence[Sequence[float]],
    threshold: float,
    object_scale: float,
    noobject_scale: float,
    class_scale: float,
    coord_scale: float,
    bias_match: bool = False,
    rescore: bool = False,
) -> Tensor:
    """Squared errors of the boxes of YOLO's second version, summed and divided by N (RegionLoss).

    ``x`` (N, A * (5 + C), H, W), ``objects`` (N, ..., 5): class, middle, sides as parts of the
    picture. The cell of an object's middle learns it, by the anchor most like it in shape. Other
    boxes learn the score 0, but for those that overlap an object by more than ``threshold``.
    Derivative: the errors, divided by N, as they are squared.
    """
    n, _, rows, columns = x.shape
    sides = torch.tensor(anchors, device=x.device)
    maps = x.detach().float().view(n, len(anchors), -1, rows, columns)
    boxes = yolo_boxes(maps, sides)
    place, score = torch.sigmoid(maps[:, :, :2]), torch.sigmoid(maps[:, :, 4])
    likely = torch.softmax(maps[:, :, 5:], 2)
    errors = torch.zeros_like(maps)
    for item, given in enumerate(objects.detach().float().view(n, -1, 5)):
        seen = given[(given[:, 1] != 0).long().cumprod(0) > 0]
        overlap = yolo_overlaps(boxes[item].unsqueeze(-2), seen[:, 1:])
        free = (overlap <= threshold).all(-1)
        errors[item, :, 4] = free * noobject_scale * score[item] ** 2 * (1 - score[item])
        for row in given[(given[:, 3] != 0).long().cumprod(0) > 0]:
            label, box = int(row[0]), row[1:]
            cells = box * box.new_tensor([columns, rows, columns, rows])
            i, j = min(int(cells[1]), rows - 1), min(int(cells[0]), columns - 1)
            shapes = sides / sides.new_tensor([columns, rows])
            shapes = shapes if bias_match else boxes[item, :, i, j, 2:]
            a = int(shape_overlaps(shapes, box[2:]).argmax())
            own, sure = place[item, a, :, i, j], score[item, a, i, j]
            scale = coord_scale if rescore else coord_scale * (2 - box[2:].prod())
            wanted = yolo_overlaps(boxes[item, a, i, j], box) if rescore else 1
            error = errors[item, a, :, i, j]
            error[:2] = scale * (own - cells[:2] + cells.new_tensor([j, i])) * own * (1 - own)
            error[2:4] = scale * (maps[item, a, 2:4, i, j] - torch.log(cells[2:] / sides[a]))
            error[4] = object_scale * (sure - wanted) * sure * (1 - sure)
            error[5:] = class_scale * likely[item, a, :, i, j]
            error[5 + label] -= class_scale
    value = (errors.double().square().sum() / n).to(x.dtype)
    return with_gradient(value, x, errors.view(x.shape).to(x.dtype) / n)


def yolov3_loss(
    x: Tensor,
    objects: Tensor,
    anchors: Sequence[Sequence[float]],
    mask: Sequence[int],
    threshold: float,
    iou_threshold: float,
    object_scale: float,
    class_scale: float,
    coord_scale: float,
    logistic_slope: bool = False,
    smooth: float = 0.0,
) -> Tensor:
    """Squared errors of one map of YOLO's third version, summed and divided by N (Yolov3).

    ``anchors``: width and height of those of all maps, in cells; ``mask``: which are this map's.
    The cell of an object's middle learns it, by the anchor of all most like it in shape if it is
    this map's, and by others that are like it by more than ``iou_threshold``. Other boxes learn the
    score 0, but for those that overlap an object by more than ``threshold``. Derivative: the errors
    divided by N, with ``logistic_slope`` times the slope of the logistic function.
    """
    n, _, rows, columns = x.shape
    every = torch.tensor(anchors, device=x.device)
    maps = x.detach().float().view(n, len(mask), -1, rows, columns)
    boxes = yolo_boxes(maps, every[list(mask)])
    own = torch.cat(
        [torch.sigmoid(maps[:, :, :2]), maps[:, :, 2:4], torch.sigmoid(maps[:, :, 4:])], 2
    )
    errors = torch.zeros_like(maps)
    for item, given in enumerate(objects.detach().float().view(n, -1, 5)):
        seen = given[(given[:, 1] != 0).long().cumprod(0) > 0]
        overlap = yolo_overlaps(boxes[item].unsqueeze(-2), seen[:, 1:])
        errors[item, :, 4] = own[item, :, 4] * (overlap <= threshold).all(-1)
        labels: dict[tuple[int, int, int], set[int]] = {}
        for row in given[(given[:, 3] != 0).long().cumprod(0) > 0]:
            box = row[1:]
            cells = box * box.new_tensor([columns, rows, columns, rows])
            i, j = min(int(cells[1]), rows - 1), min(int(cells[0]), columns - 1)
            alike = shape_overlaps(every, cells[2:])
            best = int(alike.argmax())
            skipped = list(mask).index(best) if best in mask else best
            for a, number in enumerate(mask):
                near = iou_threshold < 1 and float(alike[number]) > iou_threshold
                if number != best and (not near or number == skipped):
                    continue
                here, error = own[item, a, :, i, j], errors[item, a, :, i, j]
                scale = coord_scale * (2 - box[2:].prod())
                error[:2] = scale * (here[:2] - cells[:2] + cells.new_tensor([j, i]))
                error[2:4] = scale * (here[2:4] - torch.log(cells[2:] / every[number]))
                error[4] = (object_scale if logistic_slope else 1) * (here[4] - 1)
                labels.setdefault((a, i, j), set()).add(int(row[0]))
                target = torch.full_like(here[5:], 0.5 * smooth)
                target[sorted(labels[a, i, j])] = 1 - 0.5 * smooth
                error[5:] = class_scale * (here[5:] - target)
    slope = torch.ones_like(own)
    if logistic_slope:
        slope = own * (1 - own)
        slope[:, :, 2:4] = 1
    value = (errors.double().square().sum() / n).to(x.dtype)
    return with_gradient(value, x, (errors * slope).view(x.shape).to(x.dtype) / n)
