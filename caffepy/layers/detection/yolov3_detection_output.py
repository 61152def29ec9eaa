"""The maps of YOLO's third version become boxes."""

# N batch, A anchors of a map, C classes, H W cells, D detections

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from caffepy.layers.common.boxes import Floats, class_count
from caffepy.layers.common.grid_boxes import anchors_of
from caffepy.layers.core.base import Shape, at_least
from caffepy.layers.core.registry import register_layer
from caffepy.layers.detection.yolo_detection_output import YoloDetectionOutputLayer


@register_layer("Yolov3DetectionOutput")
class Yolov3DetectionOutputLayer(YoloDetectionOutputLayer):
    """Boxes with likely classes after suppression.  Caffe type ``Yolov3DetectionOutput``.

    Bottom: one or more maps (N, A * (5 + C), H, W) float; each has its own H and W.
    Top:    (1, 1, D, 7) float: item, label from 1 on, score (of the object times that of the
            class), xmin, ymin, xmax, ymax; sorted by item and falling score. D depends on the
            values (the shape rule says 1). Without any detection each item has a row of its number
            and six times -1.
    Params: none
    Proto:  yolov3_detection_output_param { num_classes, num_box (A), biases (width and height of
            all anchors, in pixels of the net's input), mask (indices of anchors, an equal part for
            each map, of which the first A count), anchors_scale (pixels of a cell, for each map),
            mask_group_num (number of maps), confidence_threshold (to be exceeded), nms_threshold
            (boxes that overlap as much or more suppress one another, whatever their classes) }
    Differs from torch: no counterpart. Computed on the host. No gradient. Items of a batch are kept
            apart (in MobileNet-YOLO all are item 0 and suppress one another).
    Source: MobileNet-YOLO, yolov3_detection_output_layer; Redmon and Farhadi 2018
    """

    fork_fields = frozenset({"LayerParameter.yolov3_detection_output_param"})
    bottoms = at_least(1)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        self.settings = p = self.param.yolov3_detection_output_param
        self.classes = class_count(self, p)
        self.picture = False
        maps = len(bottoms)
        each = int(p.num_box)
        if p.gaussian_box:
            raise self.fail("gaussian_box is true, which has other maps; needed: false")
        scales = list(p.anchors_scale)[:maps]
        part = len(p.mask) // maps
        if (
            len(scales) < maps
            or min(scales) < 1
            or not 0 < each <= part
            or p.mask_group_num != maps
        ):
            raise self.fail(
                f"mask is given {len(p.mask)} times,"
                f" anchors_scale {len(p.anchors_scale)} times"
                f" and mask_group_num is {p.mask_group_num}"
                f" for {maps} map(s) of {each} anchors; needed: {maps * each} times,"
                f" {maps} times (each at least 1), and {maps}"
            )
        every = anchors_of(self, p.biases, -(-len(p.biases) // 2))
        if max(p.mask) >= len(every):
            raise self.fail(
                f"mask is {max(p.mask)}; needed: 0 to {len(every) - 1},"
                f" as biases has {len(every)} anchors"
            )
        own = [every[list(p.mask)[i * part : i * part + each]] for i in range(maps)]
        self.anchors = [anchors / np.float32(scale) for anchors, scale in zip(own, scales)]

    def _candidates(self, scores: Floats, classes: Floats, boxes: Floats) -> Floats:
        every = scores[:, None] * torch.from_numpy(classes).sigmoid().numpy()
        place, label = np.nonzero(every > np.float32(self.settings.confidence_threshold))
        return np.column_stack((label, every[place, label], boxes[place])).astype(np.float32)
