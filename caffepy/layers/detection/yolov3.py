"""The loss of YOLO's third version."""

# N batch, A anchors of this map, B anchors of all maps, C classes, H W cells, R rows of boxes

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from caffepy.layers.common.box_likeness import ascent, likeness
from caffepy.layers.common.grid_boxes import anchors_of, boxes_of
from caffepy.layers.common.loss import Given
from caffepy.layers.core.autograd import apply
from caffepy.layers.core.base import Run, Shape
from caffepy.layers.core.registry import register_layer
from caffepy.layers.detection.region_loss import (
    RegionLossLayer,
    _centred,
    _Objects,
    _places,
    _written,
)
from caffepy.proto import caffe_pb2

MSE = "MSE"
FOCAL = 0.5
"""The focal loss's alpha."""


@register_layer("Yolov3")
class Yolov3Layer(RegionLossLayer):
    """Errors of boxes, scores and classes of one map of three.  Caffe type ``Yolov3``.

    Bottom: map (N, A * (5 + C), H, W) float: x, y, width, height, whether there is an object, and
            the classes, for each of A anchors.
            boxes (N, ..., 5) float: class from 0 on, middle, width and height as parts of the
            picture; rows behind the first without a width mean nothing.
    Top:    () float; sum of the squares of the errors below by N. With another iou_loss than MSE,
            of those of scores and classes, and iou_normalizer times the mean of 1 - iou_loss's
            measure over the objects that are learnt (with IOU: of 1 - DIOU).
    Params: none
    Proto:  yolov3_param { num (A), num_class (C), biases (width and height of all B anchors, in
            pixels), mask (which of them are this map's), anchors_scale (pixels of a cell), thresh,
            iou_thresh, object_scale (with use_logic_gradient), class_scale, coord_scale,
            use_logic_gradient, label_smooth_eps, use_focal_loss, iou_loss (MSE; IOU, GIOU, DIOU,
            CIOU, by which boxes and anchors are compared, too), iou_normalizer, max_delta,
            accumulate (with the last four) }; side and noobject_scale have no effect, as in the
            fork
    Differs from torch: no counterpart; a box learns in the cell of its middle, with the anchor of
            all B that is most like it, if that is this map's, and with those of this map that are
            like it by more than iou_thresh. The gradient by the bottom is the error by N (times the
            slope of the logistic function with use_logic_gradient), not the derivative of the top.
            The error of a box by an iou_loss is not quite that measure's slope
            (layers/common/box_likeness.py), up to max_delta. The focal loss has alpha 0.5 and gamma
            2, and no smoothing.
    Source: MobileNet-YOLO, yolov3_layer; Redmon and Farhadi 2018; for iou_loss Rezatofighi and
            others 2019, Zheng and others 2020; for the focal loss Lin and others 2017
    """

    fork_fields = frozenset({"LayerParameter.yolov3_param"})

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.yolov3_param
        self.classes = int(p.num_class)
        self.intels = False
        self.places = np.arange(self.classes)
        if not self.classes or not p.num or not p.anchors_scale:
            raise self.fail(
                f"num is {p.num}, num_class {self.classes} and anchors_scale {p.anchors_scale};"
                " needed: at least 1 each"
            )
        self.measure = caffe_pb2.Yolov3Parameter.IOU_LOSS.Name(p.iou_loss)
        self.every = anchors_of(self, p.biases, len(p.biases) // 2) / np.float32(p.anchors_scale)
        self.mask = [int(n) for n in p.mask][: p.num]
        if len(self.mask) < p.num or max(self.mask) >= len(self.every):
            raise self.fail(
                f"mask is {list(p.mask)}; needed: {p.num} numbers from 0 to {len(self.every) - 1}"
            )
        self.anchors = self.every[self.mask]

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The loss and its gradient together."""
        n, _, height, width = bottoms[0].shape
        p = self.param.yolov3_param
        x = bottoms[0].detach().float().reshape(n, len(self.anchors), -1, height, width)
        anchors = run.constant("anchors", x, lambda: torch.from_numpy(self.anchors))
        objects = self._objects(bottoms[1].detach().float(), n, run)
        own = torch.cat((x[:, :, :2].sigmoid(), x[:, :, 2:4], x[:, :, 4:].sigmoid()), 2)
        boxes = boxes_of(x[:, :, :4], anchors)
        errors = torch.zeros_like(x)
        free = self._best(boxes, objects) <= p.thresh
        errors[:, :, 4] = torch.where(free, own[:, :, 4], torch.zeros_like(own[:, :, 4]))
        errors, amiss = self._learnt(errors, own, boxes, objects, anchors, run)
        gradient = errors
        if p.use_logic_gradient:
            slopes = own * (1 - own)
            slopes[:, :, 2:4] = 1
            gradient = errors * slopes
        gradient = gradient.view(bottoms[0].shape).to(bottoms[0].dtype) / max(1, n)
        squares = errors if self.measure == MSE else errors[:, :, 4:]
        loss = ((squares.double().square().sum() + amiss) / max(1, n)).to(bottoms[0].dtype)
        return (apply(Given, bottoms[0], loss, gradient, True),)

    def _best(self, boxes: Tensor, objects: _Objects) -> Tensor:
        """(N, A, H, W): how alike each box is to that object of its item that is most like it."""
        common = likeness(boxes[objects.items], objects.boxes[:, None, None, None], self.measure)
        common = torch.where(objects.seen.view(-1, 1, 1, 1), common, torch.zeros_like(common))
        items = objects.items.view(-1, 1, 1, 1).expand_as(common)
        return torch.zeros_like(boxes[..., 0]).scatter_reduce(0, items, common, "amax")

    def _learnt(
        self,
        errors: Tensor,
        own: Tensor,
        boxes: Tensor,
        objects: _Objects,
        anchors: Tensor,
        run: Run,
    ) -> tuple[Tensor, Tensor]:
        """``errors`` with those of the boxes that are to become the objects, and an IOU loss.

        If several objects fall on one box, it learns the last one's place, or with ``accumulate``
        the sum of their slopes, and all their classes.
        """
        p = self.param.yolov3_param
        height, width = errors.shape[3:]
        cells = [float(n) for n in (width, height, width, height)]
        grid = run.constant(f"grid {width} {height}", objects.boxes, lambda: torch.tensor(cells))
        scaled = objects.boxes * grid
        column = scaled[:, 0].long().clamp(0, width - 1)
        line = scaled[:, 1].long().clamp(0, height - 1)
        times = self._times(scaled[:, 2:], grid[2:], objects, run)
        sought = times > 0
        # One row for each object and each anchor of this map, in the order of the objects.
        number = len(self.anchors)
        anchor = torch.arange(number, device=own.device).repeat(len(column))
        items, line, column = (
            each.repeat_interleave(number) for each in (objects.items, line, column)
        )
        at = (items, anchor, line, column)
        here = own.movedim(2, 4)[at]
        truth = objects.boxes.repeat_interleave(number, 0)
        amiss = torch.zeros((), device=own.device, dtype=torch.float64)
        if self.measure == MSE:
            scaled = scaled.repeat_interleave(number, 0)
            middles = scaled[:, :2] - torch.stack((column, line), 1)
            target = torch.cat((middles, (scaled[:, 2:] / anchors[anchor]).log()), 1)
            off = p.coord_scale * (2 - truth[:, 2:].prod(1, keepdim=True)) * (here[:, :4] - target)
        else:
            off = self._slopes(boxes[at], truth, here)
            off = _summed(off, at, errors, times) if p.accumulate else off
            amiss = self._amiss(boxes[at], truth, times)
        score = (here[:, 4:5] - 1) * (p.object_scale if p.use_logic_gradient else 1)
        kinds = objects.classes.repeat_interleave(number)
        classes = p.class_scale * self._class_errors(here[:, 5:], errors, at, kinds, times)
        return _written(errors, at, torch.cat((off, score, classes), 1), sought), amiss

    def _slopes(self, boxes: Tensor, truth: Tensor, here: Tensor) -> Tensor:
        """(R * A, 4): minus the slopes of ``iou_loss`` by x, y, width and height."""
        p = self.param.yolov3_param
        up = ascent(boxes, truth, self.measure)
        up = torch.cat((up[:, :2], up[:, 2:] * here[:, 2:4].exp()), 1) * p.iou_normalizer
        return -up.nan_to_num(0, 0, 0).clamp(-p.max_delta, p.max_delta)

    def _amiss(self, boxes: Tensor, truth: Tensor, times: Tensor) -> Tensor:
        """How unlike boxes are to the objects that they learn, in the mean, with its weight."""
        measure = "DIOU" if self.measure == "IOU" else self.measure  # as in the fork
        unlike = (1 - likeness(boxes, truth, measure)).double().masked_fill(times == 0, 0)
        mean = (unlike * times).sum() / times.sum().clamp(min=1)
        return float(self.param.yolov3_param.iou_normalizer) * mean

    def _times(self, sides: Tensor, grid: Tensor, objects: _Objects, run: Run) -> Tensor:
        """(R * A,): how often an object is learnt by each anchor of this map, up to twice.

        ``sides`` (R, 2), in cells; ``grid`` (2,): how many cells there are.
        """
        p = self.param.yolov3_param
        every = run.constant("every", sides, lambda: torch.from_numpy(self.every))
        if self.measure == "CIOU":  # compares widths with heights, as parts of the picture
            every, sides = every / grid, sides / grid
        alike = likeness(_centred(every), _centred(sides.unsqueeze(1)), self.measure)
        best = alike.argmax(1).masked_fill(alike.amax(1) <= 0, -1)
        mask = run.constant("mask", objects.items, lambda: torch.tensor(self.mask))
        matches = mask == best.unsqueeze(1)
        times = matches.long()
        if p.iou_thresh < 1:
            # The fork leaves out the anchor whose number is the best one's place in this map, and
            # so takes the best one again if its number is another.
            place = torch.where(matches.any(1), times.argmax(1), best)
            near = alike.index_select(1, mask) > p.iou_thresh
            times = times + (near & (mask != place.unsqueeze(1)))
        return times.masked_fill(~objects.sought.unsqueeze(1), 0).flatten()

    def _class_errors(
        self, here: Tensor, errors: Tensor, at: Sequence[Tensor], kinds: Tensor, times: Tensor
    ) -> Tensor:
        """(R * A, C): what the classes of each row's box are off.

        With ``use_focal_loss`` the first object of a box weighs all its classes; those of the
        others, and its own where it is learnt twice, are learnt without.
        """
        sought = times > 0
        p = self.param.yolov3_param
        low, high = 0.5 * p.label_smooth_eps, 1 - 0.5 * p.label_smooth_eps
        if not p.use_focal_loss:
            wanted = self._wanted(errors, at, kinds, sought)
            return here - torch.where(wanted, high, low)
        place = _places(errors, at)
        order = torch.arange(len(place), device=place.device).masked_fill(~sought, len(place))
        first = order.new_full((errors[:, :, 0].numel(),), len(place))
        first = first.scatter_reduce(0, place, order, "amin")[place]
        kind = kinds[first.clamp(max=max(0, len(place) - 1))].unsqueeze(1)
        sure = here.gather(1, kind) + 1e-15
        weight = -FOCAL * (1 - sure) * (2 * sure * sure.log() + sure - 1)
        focal = (here - torch.zeros_like(here).scatter(1, kind, 1)) * weight
        again = self._wanted(errors, at, kinds, sought & ((order != first) | (times > 1)))
        return torch.where(again, here - high, focal)

    def _wanted(
        self, errors: Tensor, at: Sequence[Tensor], classes: Tensor, sought: Tensor
    ) -> Tensor:
        """(R * A, C): whether an object of each class falls on the box of a row."""
        place = _places(errors, at)
        found = errors.new_zeros(errors[:, :, 0].numel() * self.classes)
        index = place * self.classes + classes
        found = found.scatter_reduce(0, index, sought.to(found.dtype), "amax")
        return found.view(-1, self.classes)[place] > 0


def _summed(off: Tensor, at: Sequence[Tensor], errors: Tensor, times: Tensor) -> Tensor:
    """(R * A, 4): for each row the sum of those in its place, each so many times."""
    place = _places(errors, at)
    sums = off.new_zeros(errors[:, :, 0].numel(), 4)
    return sums.index_add(0, place, off * times.unsqueeze(1))[place]
