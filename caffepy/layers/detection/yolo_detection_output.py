"""The maps of YOLO's second version become boxes."""

# N batch, A anchors, C classes, H W cells, D detections

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from caffepy.layers.common.boxes import Floats, class_count, on_host, overlaps
from caffepy.layers.common.grid_boxes import (
    COORDINATES,
    anchors_of,
    boxes_of,
    check_map,
    common_part,
)
from caffepy.layers.core.base import Layer, Run, Shape, between
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Device, Gradients
from caffepy.proto import caffe_pb2

PICTURE = (1, 3)
"""Numbers of channels by which a second bottom is taken for the picture, not for a map."""


@register_layer("YoloDetectionOutput")
class YoloDetectionOutputLayer(Layer):
    """Boxes with their best class after suppression.  Caffe type ``YoloDetectionOutput``.

    Bottom: (N, A * (5 + C), H, W) float; [1] (optional) another such map with other H and W, or the
            picture, 1 or 3 channels.
    Top:    (1, 1, D, 7) float: item, label from 1 on, score (of the object times that of the
            class), xmin, ymin, xmax, ymax; sorted by item and falling score. With a picture, as in
            the change to BVLC Caffe: item, label from 0 on, score, x and y of the middle, width,
            height; then only the parts of boxes inside the picture overlap. D depends on the values
            (the shape rule says 1). Without any detection each item has a row of its number and six
            times -1.
    Params: none
    Proto:  yolo_detection_output_param { num_classes, num_box (A), coords (4), biases (A times
            width and height, in cells), confidence_threshold (to be reached), nms_threshold (from
            there on boxes overlap, whatever their classes) }; side and label_map_file have no
            effect
    Differs from torch: no counterpart. Computed on the host. No gradient. Items of a batch are kept
            apart (in MobileNet-YOLO all are item 0 and suppress one another).
    Source: MobileNet-YOLO, yolo_detection_output_layer; Redmon and Farhadi 2017
    """

    fork_fields = frozenset({"LayerParameter.yolo_detection_output_param"})
    bottoms = between(1, 2)
    gradients = Gradients(backward=False)
    device = Device(on_host=True, shaped_by_values=True)

    settings: caffe_pb2.YoloDetectionOutputParameter | caffe_pb2.Yolov3DetectionOutputParameter

    def setup(self, bottoms: Sequence[Shape]) -> None:
        self.settings = self.param.yolo_detection_output_param
        self.classes = class_count(self, self.settings)
        if self.settings.coords != COORDINATES:
            raise self.fail(f"coords is {self.settings.coords}; needed: {COORDINATES}")
        self.anchors = [anchors_of(self, self.settings.biases, int(self.settings.num_box))] * 2
        self.picture = len(bottoms) > 1 and len(bottoms[1]) == 4 and bottoms[1][1] in PICTURE

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The shape if there is one detection."""
        for index, shape in enumerate(bottoms):
            if not (index and self.picture):
                check_map(self, index, shape, len(self.anchors[index]), self.classes)
            if shape[0] != bottoms[0][0]:
                raise self.fail(
                    f"bottom 0 is {bottoms[0]} and bottom {index} {shape};"
                    " needed: the same first dim"
                )
        return ((1, 1, 1, 7),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        maps = [on_host(bottom) for bottom in (bottoms[:1] if self.picture else bottoms)]
        items = range(len(maps[0]))
        detections = [self._detections(i, [each[i] for each in maps]) for i in items]
        if any(map(len, detections)):
            rows = np.concatenate(detections)
        else:
            rows = np.array([[i, *(-1,) * 6] for i in items], np.float32)
        return (torch.from_numpy(rows).to(bottoms[0]).view(1, 1, -1, 7),)

    def _detections(self, item: int, maps: Sequence[Floats]) -> Floats:
        """Rows (D, 7) of one item."""
        candidates = np.concatenate(
            [self._candidates(*_split(x, anchors)) for x, anchors in zip(maps, self.anchors)]
        )
        candidates = candidates[np.argsort(-candidates[:, 1], kind="stable")]
        boxes = candidates[:, 2:]
        half = boxes[:, 2:] / np.float32(2)
        corners = np.concatenate((boxes[:, :2] - half, boxes[:, :2] + half), 1)
        places = torch.from_numpy(boxes)
        edges = torch.from_numpy(corners.clip(0, 1))
        kept = []
        free = np.ones(len(boxes), bool)
        for i in range(len(boxes)):
            if free[i]:
                kept.append(i)
                common = (
                    overlaps(edges[i], edges) if self.picture else common_part(places[i], places)
                )
                free &= common.numpy() < np.float32(self.settings.nms_threshold)
        labels = candidates[:, :1] if self.picture else candidates[:, :1] + 1
        rows = np.concatenate(
            (
                np.full_like(labels, item),
                labels,
                candidates[:, 1:2],
                boxes if self.picture else corners,
            ),
            1,
        )
        return rows[kept]

    def _candidates(self, scores: Floats, classes: Floats, boxes: Floats) -> Floats:
        """Rows (M, 6) of class, score and box, for scores that are high enough.

        The arguments are what `_split` returns.
        """
        parts = torch.from_numpy(classes).softmax(1).numpy()
        best = scores * parts.max(1)
        good = best >= np.float32(self.settings.confidence_threshold)
        return np.column_stack((parts.argmax(1)[good], best[good], boxes[good])).astype(np.float32)


def _split(x: Floats, anchors: Floats) -> tuple[Floats, Floats, Floats]:
    """Divide a map (A * (5 + C), H, W) into M boxes, one for each cell and anchor.

    Returns scores (M,) after the logistic function, classes (M, C) before it, and boxes (M, 4).
    """
    own = torch.from_numpy(x).reshape(len(anchors), -1, *x.shape[1:])
    boxes = (
        boxes_of(own[:, :COORDINATES], torch.from_numpy(anchors)).permute(1, 2, 0, 3).reshape(-1, 4)
    )
    rest = own[:, COORDINATES:].permute(2, 3, 0, 1).reshape(len(boxes), -1)
    return rest[:, 0].sigmoid().numpy(), rest[:, 1:].numpy(), boxes.numpy()
