"""The loss of YOLO's third version."""

# N batch, A anchors of this map, B anchors of all maps, C classes, H W cells, R rows of boxes

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from caffepy.layers.common.grid_boxes import anchors_of, boxes_of, common_part
from caffepy.layers.common.loss import Given
from caffepy.layers.core.autograd import apply
from caffepy.layers.core.base import Run, Shape
from caffepy.layers.core.registry import register_layer
from caffepy.layers.detection.region_loss import RegionLossLayer, _centred, _Objects, _written
from caffepy.proto import caffe_pb2

MSE = caffe_pb2.Yolov3Parameter.MSE


@register_layer("Yolov3")
class Yolov3Layer(RegionLossLayer):
    """Squared errors of boxes, scores and classes of one map of three.  Caffe type ``Yolov3``.

    Bottom: map (N, A * (5 + C), H, W) float: x, y, width, height, whether there is an object, and
            the classes, for each of A anchors.
            boxes (N, ..., 5) float: class from 0 on, middle, width and height as parts of the
            picture; rows behind the first without a width mean nothing.
    Top:    () float; sum of the squares of the errors below by N.
    Params: none
    Proto:  yolov3_param { num (A), num_class (C), biases (width and height of all B anchors, in
            pixels), mask (which of them are this map's), anchors_scale (pixels of a cell), thresh,
            iou_thresh, object_scale (with use_logic_gradient), class_scale, coord_scale,
            use_logic_gradient, label_smooth_eps, iou_loss (MSE) }; side and noobject_scale have no
            effect, as in the fork, nor with MSE have iou_normalizer, max_delta and accumulate. The
            other values of iou_loss, and use_focal_loss, are refused.
    Differs from torch: no counterpart; a box learns in the cell of its middle, with the anchor of
            all B that is most like it, if that is this map's, and with those of this map that are
            like it by more than iou_thresh. The gradient by the bottom is the error by N (times the
            slope of the logistic function with use_logic_gradient), not the derivative of the top.
    Source: MobileNet-YOLO, yolov3_layer; Redmon and Farhadi 2018
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
        if p.iou_loss != MSE:
            name = caffe_pb2.Yolov3Parameter.IOU_LOSS.Name(p.iou_loss)
            raise self.fail(
                f"iou_loss is {name}, which only eric612/MobileNet-YOLO computes;"
                " needed: iou_loss: MSE"
            )
        if p.use_focal_loss:
            raise self.fail(
                "use_focal_loss is true, which only eric612/MobileNet-YOLO computes;"
                " needed: use_focal_loss: false"
            )
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
        errors = self._learnt(errors, own, objects, anchors, run)
        gradient = errors
        if p.use_logic_gradient:
            slopes = own * (1 - own)
            slopes[:, :, 2:4] = 1
            gradient = errors * slopes
        gradient = gradient.view(bottoms[0].shape).to(bottoms[0].dtype) / max(1, n)
        loss = (errors.double().square().sum() / max(1, n)).to(bottoms[0].dtype)
        return (apply(Given, bottoms[0], loss, gradient, True),)

    def _best(self, boxes: Tensor, objects: _Objects) -> Tensor:
        """(N, A, H, W): the greatest common part of each box with the objects of its item."""
        common = common_part(boxes[objects.items], objects.boxes[:, None, None, None])
        common = torch.where(objects.seen.view(-1, 1, 1, 1), common, torch.zeros_like(common))
        items = objects.items.view(-1, 1, 1, 1).expand_as(common)
        return torch.zeros_like(boxes[..., 0]).scatter_reduce(0, items, common, "amax")

    def _learnt(
        self, errors: Tensor, own: Tensor, objects: _Objects, anchors: Tensor, run: Run
    ) -> Tensor:
        """``errors`` with those of the boxes that are to become the objects.

        If several objects fall on one box, it learns the last one's place and all their classes.
        """
        p = self.param.yolov3_param
        height, width = errors.shape[3:]
        scaled = objects.boxes * objects.boxes.new_tensor([width, height, width, height])
        column = scaled[:, 0].long().clamp(0, width - 1)
        line = scaled[:, 1].long().clamp(0, height - 1)
        sought = self._sought(scaled[:, 2:], objects, run)
        # One row for each object and each anchor of this map, in the order of the objects.
        number = len(self.anchors)
        anchor = torch.arange(number, device=own.device).repeat(len(column))
        items, line, column = (
            each.repeat_interleave(number) for each in (objects.items, line, column)
        )
        at = (items, anchor, line, column)
        here = own.movedim(2, 4)[at]
        scaled = scaled.repeat_interleave(number, 0)
        middles = scaled[:, :2] - torch.stack((column, line), 1)
        target = torch.cat((middles, (scaled[:, 2:] / anchors[anchor]).log()), 1)
        area = objects.boxes[:, 2:].prod(1).repeat_interleave(number)
        off = p.coord_scale * (2 - area).unsqueeze(1) * (here[:, :4] - target)
        score = (here[:, 4:5] - 1) * (p.object_scale if p.use_logic_gradient else 1)
        wanted = self._wanted(errors, at, objects.classes.repeat_interleave(number), sought)
        low, high = 0.5 * p.label_smooth_eps, 1 - 0.5 * p.label_smooth_eps
        classes = p.class_scale * (here[:, 5:] - torch.where(wanted, high, low))
        return _written(errors, at, torch.cat((off, score, classes), 1), sought)

    def _sought(self, sides: Tensor, objects: _Objects, run: Run) -> Tensor:
        """(R * A,): whether an object is learnt by each anchor of this map."""
        p = self.param.yolov3_param
        every = run.constant("every", sides, lambda: torch.from_numpy(self.every))
        alike = common_part(_centred(every), _centred(sides.unsqueeze(1)))
        best = alike.argmax(1)
        mask = run.constant("mask", objects.items, lambda: torch.tensor(self.mask))
        matches = mask == best.unsqueeze(1)
        if p.iou_thresh < 1:
            # The fork leaves out the anchor whose number is the best one's place in this map.
            place = torch.where(matches.any(1), matches.long().argmax(1), best)
            matches |= (alike.index_select(1, mask) > p.iou_thresh) & (mask != place.unsqueeze(1))
        return (matches & objects.sought.unsqueeze(1)).flatten()

    def _wanted(
        self, errors: Tensor, at: Sequence[Tensor], classes: Tensor, sought: Tensor
    ) -> Tensor:
        """(R * A, C): whether an object of each class falls on the box of a row."""
        items, anchor, line, column = at
        _, anchors, _, height, width = errors.shape
        place = ((items * anchors + anchor) * height + line) * width + column
        found = errors.new_zeros(errors[:, :, 0].numel() * self.classes)
        index = place * self.classes + classes
        found = found.scatter_reduce(0, index, sought.to(found.dtype), "amax")
        return found.view(-1, self.classes)[place] > 0
