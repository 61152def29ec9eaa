"""SSD300-VGG and Faster R-CNN ZF as one would write them in PyTorch by hand, with torch alone: from a batch to its loss.

Parameters are in the order of Caffe's layers, and what is computed is what `boxes_nets` has, boxes by operators over all of them.
"""

# N batch, C channels, H W picture, A anchors or priors of a cell, P priors, G objects of a picture, R regions

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tools.bench.boxes_nets import ANCHORS, CLASSES, EXTRA, HEADS, OBJECTS, VGG

MAPS = (38, 19, 10, 5, 3, 1)
"""Cells of each of SSD300's maps, along either side."""
SIZES = (30, 60, 111, 162, 213, 264, 315)
VARIANCES = (0.1, 0.1, 0.2, 0.2)


def priors() -> Tensor:
    """SSD300's priors (P, 4) as parts of the picture: xmin, ymin, xmax, ymax."""
    made = []
    for cells, small, large, (*_, boxes) in zip(MAPS, SIZES[:-1], SIZES[1:], HEADS, strict=True):
        ratios = (2, 1 / 2, 3, 1 / 3)[: boxes - 2]
        sides = [(small, small), (math.sqrt(small * large),) * 2, *((small * r**0.5, small / r**0.5) for r in ratios)]
        half = torch.tensor(sides, dtype=torch.float64) / 600
        place = (torch.arange(cells, dtype=torch.float64) + 0.5) / cells
        center = torch.stack(torch.meshgrid(place, place, indexing="xy"), -1).unsqueeze(2)
        made.append(torch.cat((center - half, center + half), -1).view(-1, 4))
    return torch.cat(made).float()


class MultiBox(nn.Module):
    """SSD's loss: priors matched to objects, three negatives for each match, the hardest of a picture."""

    def __init__(self) -> None:
        super().__init__()
        boxes = priors()
        self.register_buffer("boxes", boxes)
        self.register_buffer("centers", (boxes[:, :2] + boxes[:, 2:]) / 2)
        self.register_buffer("sides", boxes[:, 2:] - boxes[:, :2])
        self.register_buffer("variances", torch.tensor(VARIANCES))

    def forward(self, offsets: Tensor, scores: Tensor, rows: Tensor) -> Tensor:
        """From (N, P, 4), (N, P, C) and rows (1, 1, N * G, 8) of AnnotatedData, G for each picture."""
        rows = rows.view(len(offsets), OBJECTS, 8)
        with torch.no_grad():
            own, overlap = self.match(rows[..., 3:7])
            positive = own >= 0
            labels = rows[..., 1].long().gather(1, own.clamp(min=0)) * positive
            losses = F.cross_entropy(scores.flatten(0, 1), labels.flatten(), reduction="none").view_as(overlap)
            negative = self.hardest(losses, ~positive & (overlap < 0.5), 3 * positive.sum(1))
            picture, prior = positive.nonzero(as_tuple=True)
            wanted = self.encode(rows[picture, own[picture, prior], 3:7], prior)
            learns = (positive | negative).flatten().nonzero()[:, 0]
        located = F.smooth_l1_loss(offsets[picture, prior], wanted, reduction="sum")
        classified = F.cross_entropy(scores.flatten(0, 1)[learns], labels.flatten()[learns], reduction="sum")
        return (located + classified) / len(prior)

    def match(self, objects: Tensor) -> tuple[Tensor, Tensor]:
        """The object (N, P) of each prior, -1 for none, and its largest overlap with any, for objects (N, G, 4)."""
        low, high = torch.maximum(objects[:, :, None, :2], self.boxes[:, :2]), torch.minimum(objects[:, :, None, 2:], self.boxes[:, 2:])
        common = (high - low).clamp_(min=0).prod(-1)
        area = (objects[..., 2:] - objects[..., :2]).prod(-1)
        iou = common / (area.unsqueeze(2) + self.sides.prod(1) - common)
        overlap, nearest = iou.max(1)
        own = torch.where(overlap >= 0.5, nearest, -1)
        free, each = iou.clone(), torch.arange(len(iou))
        for _ in range(iou.shape[1]):  # each object in turn gets a prior, that which meets its object best first
            best = free.flatten(1).argmax(1)
            thing, prior = best // iou.shape[2], best % iou.shape[2]
            own[each, prior] = thing
            free[each, thing] = -1
            free[each, :, prior] = -1
        return own, overlap

    @staticmethod
    def hardest(losses: Tensor, among: Tensor, numbers: Tensor) -> Tensor:
        """Where (N, P) the largest losses of a picture are, so many of each."""
        numbers = torch.minimum(numbers, among.sum(1))
        order = losses.masked_fill(~among, -1).topk(int(numbers.max()), dim=1).indices
        taken = torch.arange(order.shape[1]) < numbers.unsqueeze(1)
        return torch.zeros_like(among).scatter_(1, order, taken)

    def encode(self, objects: Tensor, prior: Tensor) -> Tensor:
        """What the offsets of these priors (M,) are to be for objects (M, 4)."""
        center = ((objects[:, :2] + objects[:, 2:]) / 2 - self.centers[prior]) / self.sides[prior]
        size = ((objects[:, 2:] - objects[:, :2]) / self.sides[prior]).log()
        return torch.cat((center, size), 1) / self.variances


class Normalize(nn.Module):
    """Channels of each place to a length that is learned."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(20.0))

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, H, W) both."""
        return x * (self.scale * (x * x).sum(1, keepdim=True).add(1e-10).rsqrt())


class SSD300(nn.Module):
    """SSD300 on VGG-16."""

    def __init__(self, divide: int = 1) -> None:
        super().__init__()
        self.convs, channels = nn.ModuleList(), 3
        for _, outputs, many in VGG:
            for _ in range(many):
                self.convs.append(nn.Conv2d(channels, outputs // divide, 3, padding=1))
                channels = outputs // divide
        wide = 1024 // divide
        self.fc6, self.fc7 = nn.Conv2d(channels, wide, 3, padding=6, dilation=6), nn.Conv2d(wide, wide, 1)
        self.extra, maps, channels = nn.ModuleList(), [channels, wide], wide
        for number, few, outputs, _ in EXTRA:
            few, outputs, step = few // divide, outputs // divide, 2 if number < 8 else 1
            self.extra.append(nn.Conv2d(channels, few, 1))
            self.extra.append(nn.Conv2d(few, outputs, 3, step, padding=int(number < 8)))
            channels = outputs
            maps.append(channels)
        self.norm, self.heads = Normalize(), nn.ModuleList()
        for channels, (*_, boxes) in zip(maps, HEADS, strict=True):
            self.heads.append(nn.Conv2d(channels, boxes * 4, 3, padding=1))
            self.heads.append(nn.Conv2d(channels, boxes * CLASSES, 3, padding=1))
        self.criterion = MultiBox()

    def predictions(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Offsets (N, P, 4) and scores (N, P, C) of (N, 3, 300, 300)."""
        convs, maps = iter(self.convs), []
        for number, _, many in VGG:
            for _ in range(many):
                x = F.relu_(next(convs)(x))
            if number == 4:
                maps.append(self.norm(x))
            x = F.max_pool2d(x, 2, 2, ceil_mode=True) if number < 5 else F.max_pool2d(x, 3, 1, padding=1)
        x = F.relu_(self.fc7(F.relu_(self.fc6(x))))
        maps.append(x)
        for first, second in zip(self.extra[::2], self.extra[1::2], strict=True):
            x = F.relu_(second(F.relu_(first(x))))
            maps.append(x)
        found: list[list[Tensor]] = [[], []]
        for i, head in enumerate(self.heads):
            found[i % 2].append(head(maps[i // 2]).permute(0, 2, 3, 1).flatten(1))
        offsets, scores = (torch.cat(parts, 1) for parts in found)
        return offsets.view(len(x), -1, 4), scores.view(len(x), -1, CLASSES)

    def forward(self, data: Tensor, label: Tensor) -> Tensor:
        """The loss of (N, 3, 300, 300) and rows (1, 1, N * G, 8) of AnnotatedData."""
        return self.criterion(*self.predictions(data), label)


class RegionMaxima(torch.autograd.Function):
    """The maxima (R, C, 6, 6) of a picture (1, C, H, W) in the cells of regions, whose edges are whole numbers."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, edges: list[list[int]]) -> Tensor:
        found = [F.adaptive_max_pool2d(x[:, :, y : y2 + 1, z : z2 + 1], 6, return_indices=True) for z, y, z2, y2 in edges]
        maxima, places = (torch.cat(parts) for parts in zip(*found, strict=True))
        left, top, right, _ = torch.tensor(edges).t().view(4, -1, 1, 1, 1)
        wide = right + 1 - left
        places = (places // wide + top) * x.shape[3] + places % wide + left
        ctx.save_for_backward(places)
        ctx.shape = x.shape
        return maxima

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor, None]:
        (places,) = ctx.saved_tensors
        _, channels, height, width = ctx.shape
        dx = dy.new_zeros(height * width, channels)
        by_place = (x.permute(0, 2, 3, 1).reshape(-1, channels) for x in (places, dy))
        return dx.scatter_add_(0, *by_place).view(1, height, width, channels).permute(0, 3, 1, 2), None


def region_maxima(x: Tensor, rois: Tensor) -> Tensor:
    """RoI pooling to 6 x 6 of the map (1, C, H, W), a sixteenth of the picture, in regions (R, 5) of it."""
    edges = (rois[:, 1:] / 16 + 0.5).floor().long()  # none is negative
    edges = torch.minimum(edges, torch.tensor([x.shape[3], x.shape[2]] * 2) - 1)
    pooled: Tensor = RegionMaxima.apply(x, edges.tolist())
    return pooled


def intersection_over_union(a: Tensor, b: Tensor) -> Tensor:
    """(..., M) of boxes (M, 4) in pixels, both ends included, with others that broadcast."""
    low, high = torch.maximum(a[..., :2], b[..., :2]), torch.minimum(a[..., 2:], b[..., 2:])
    common = (high - low + 1).clamp_(min=0).prod(-1)
    return common / ((a[..., 2:] - a[..., :2] + 1).prod(-1) + (b[..., 2:] - b[..., :2] + 1).prod(-1) - common)


def suppressed(boxes: Tensor, threshold: float, most: int, block: int = 512) -> list[int]:
    """Which boxes (M, 4), best first, overlap no better one that is kept; at most so many."""
    kept: list[int] = []
    for start in range(0, len(boxes), block):
        part = boxes[start : start + block]
        over = (intersection_over_union(part.unsqueeze(1), part) > threshold).numpy()
        gone = (intersection_over_union(boxes[kept].unsqueeze(1), part) > threshold).any(0).numpy()
        for i in range(len(part)):
            if not gone[i]:
                kept.append(start + i)
                if len(kept) == most:
                    return kept
                gone |= over[i]
    return kept


def anchors() -> Tensor:
    """(A, 4) around the place (0, 0): three ratios, three sizes each."""
    made = []
    for ratio in (0.5, 1, 2):
        width = math.floor(math.sqrt(256 / ratio) + 0.5)
        height = math.floor(width * ratio + 0.5)
        made += [[7.5 + 0.5 * side * (s * n - 1) for side, n in ((-1, width), (-1, height), (1, width), (1, height))] for s in (8, 16, 32)]
    return torch.tensor(made)


def normalized(x: Tensor) -> Tensor:
    """Local response normalization over 5 channels, in half the time of torch's ``local_response_norm``."""
    squares, channels = F.pad(x * x, (0, 0, 0, 0, 2, 2)), x.shape[1]
    total = sum(squares[:, i : i + channels] for i in range(5))
    root = total.mul_(1e-4 / 5).add_(1).rsqrt()
    return x * (root * root.sqrt())


def box_loss(x: Tensor, wanted: Tensor, inside: Tensor, outside: Tensor, *, beta: float) -> Tensor:
    """Smooth absolute differences, weighted before and after, summed and divided by the length of the first axis."""
    each = F.smooth_l1_loss(inside * x, inside * wanted, reduction="none", beta=beta)
    return (outside * each).sum() / len(x)


class FasterRCNN(nn.Module):
    """Faster R-CNN on ZF, with proposals, and the regions that learn and all targets given."""

    def __init__(self, divide: int = 1) -> None:
        super().__init__()
        a, b, c, d = 96 // divide, 256 // divide, 384 // divide, 4096 // divide
        self.conv1, self.conv2 = nn.Conv2d(3, a, 7, 2, 3), nn.Conv2d(a, b, 5, 2, 2)
        self.conv3, self.conv4, self.conv5 = (nn.Conv2d(n, m, 3, padding=1) for n, m in ((b, c), (c, c), (c, b)))
        self.rpn_conv = nn.Conv2d(b, b, 3, padding=1)
        self.rpn_score, self.rpn_moved = nn.Conv2d(b, 2 * ANCHORS, 1), nn.Conv2d(b, 4 * ANCHORS, 1)
        self.fc6, self.fc7 = nn.Linear(b * 36, d), nn.Linear(d, d)
        self.cls_score, self.box_moved = nn.Linear(d, CLASSES), nn.Linear(d, 4 * CLASSES)
        self.register_buffer("anchors", anchors())
        self.proposed = torch.empty(0, 4)

    def features(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The map, and the scores and offsets of anchors, of (1, 3, H, W)."""
        for conv in (self.conv1, self.conv2):
            x = F.max_pool2d(normalized(F.relu_(conv(x))), 3, 2, padding=1, ceil_mode=True)
        for conv in (self.conv3, self.conv4, self.conv5):
            x = F.relu_(conv(x))
        rpn = F.relu_(self.rpn_conv(x))
        return x, self.rpn_score(rpn), self.rpn_moved(rpn)

    def classified(self, regions: Tensor) -> tuple[Tensor, Tensor]:
        """Scores (R, C) and offsets (R, 4 * C) of pooled regions."""
        x = F.relu_(self.fc7(F.relu_(self.fc6(regions.flatten(1)))))
        return self.cls_score(x), self.box_moved(x)

    @torch.no_grad()
    def proposals(self, probability: Tensor, moved: Tensor, im_info: Tensor) -> Tensor:
        """At most 300 regions (R, 4), by falling score, of probabilities (A, H, W) and offsets (1, 4 * A, H, W)."""
        height, width, scale_y, scale_x = im_info.flatten().tolist()
        rows, columns = moved.shape[2:]
        y, x = torch.meshgrid(torch.arange(rows) * 16, torch.arange(columns) * 16, indexing="ij")
        boxes = (torch.stack((x, y, x, y), -1).unsqueeze(2) + self.anchors).view(-1, 4)
        scores = probability.permute(1, 2, 0).flatten()
        by_place = moved.view(ANCHORS, 4, rows, columns).permute(2, 3, 0, 1).reshape(-1, 4)
        sides = boxes[:, 2:] - boxes[:, :2] + 1
        centers, half = boxes[:, :2] + sides / 2 + by_place[:, :2] * sides, by_place[:, 2:].exp() * sides / 2
        boxes = torch.cat((centers - half, centers + half), 1).clamp(min=0).minimum(torch.tensor([width, height] * 2) - 1)
        sides = boxes[:, 2:] - boxes[:, :2] + 1
        scores = scores * (sides >= torch.tensor([16 * scale_x, 16 * scale_y])).all(1)
        boxes = boxes[scores.sort(descending=True, stable=True).indices[:6000]]
        return boxes[suppressed(boxes, 0.7, 300)]

    def forward(
        self,
        data: Tensor,
        im_info: Tensor,
        rpn_labels: Tensor,
        rpn_targets: Tensor,
        rois: Tensor,
        labels: Tensor,
        targets: Tensor,
        rpn_inside: Tensor,
        rpn_outside: Tensor,
        inside: Tensor,
        outside: Tensor,
    ) -> Tensor:
        """The sum of the four losses of one picture, see `boxes_nets.faster_rcnn`."""
        x, score, moved = self.features(data)
        two = score.reshape(1, 2, -1, score.shape[3])
        loss = F.cross_entropy(two, rpn_labels.long(), ignore_index=-1)
        loss = loss + box_loss(moved, rpn_targets, rpn_inside, rpn_outside, beta=1 / 9)
        self.proposed = self.proposals(two.detach().softmax(1)[0, 1].view(ANCHORS, *score.shape[2:]), moved, im_info)
        scores, offsets = self.classified(region_maxima(x, rois))
        return loss + F.cross_entropy(scores, labels.long()) + box_loss(offsets, targets, inside, outside, beta=1)
