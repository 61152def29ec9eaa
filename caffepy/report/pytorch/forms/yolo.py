"""Forms of YOLO's layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caffepy.report.pytorch.helpers import yolo as helpers
from caffepy.report.pytorch.helpers.gradient import with_gradient
from caffepy.report.pytorch.registry import form
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import number

DETECTS = (helpers.yolo_boxes, helpers.yolo_overlaps, helpers.yolo_detections)
LEARNS = (with_gradient, helpers.yolo_boxes, helpers.yolo_overlaps, helpers.shape_overlaps)


@form("YoloDetectionOutput")
def yolo_detection_output(at: Site) -> Form:
    """Of one map or two."""
    if at.layer.picture:
        raise at.fail("a picture as its second bottom; needed: maps alone")
    return _detections(at, at.param.yolo_detection_output_param)


@form("Yolov3DetectionOutput")
def yolov3_detection_output(at: Site) -> Form:
    return _detections(at, at.param.yolov3_detection_output_param, "every_class=True")


def _detections(at: Site, p: Any, *options: str) -> Form:
    maps = ", ".join(f"{{{i}}}" for i in range(len(at.bottoms)))
    anchors = ", ".join(_pairs(sides) for sides in at.layer.anchors[: len(at.bottoms)])
    figures = [number(p.confidence_threshold), number(p.nms_threshold), *options]
    return Form(f"yolo_detections([{maps}], [{anchors}], {', '.join(figures)})", helpers=DETECTS)


@form("RegionLoss")
def region_loss(at: Site) -> Form:
    """With rows of 5 numbers."""
    layer, p = at.layer, at.param.region_loss_param
    if layer.intels:
        raise at.fail("Intel's rows of 8 numbers; needed: rows of 5")
    if at.trains and p.anchor_images > 0:
        raise at.fail("anchor_images, which changes with the iteration; needed: none")
    options = [_pairs(layer.anchors), number(p.thresh)]
    options += [f"{name}={number(getattr(p, name))}" for name in SCALES]
    options += [f"{name}=True" for name in ("bias_match", "rescore") if getattr(p, name)]
    return Form(
        f"region_loss({{0}}, {{1}}, {', '.join(options)})", helpers=(*LEARNS, helpers.region_loss)
    )


SCALES = ("object_scale", "noobject_scale", "class_scale", "coord_scale")


@form("Yolov3")
def yolov3(at: Site) -> Form:
    layer, p = at.layer, at.param.yolov3_param
    if layer.measure != "MSE" or p.use_focal_loss:
        raise at.fail("an IOU loss or the focal loss; needed: iou_loss: MSE, and no use_focal_loss")
    options = [_pairs(layer.every), str(layer.mask), number(p.thresh), number(p.iou_thresh)]
    options += [f"{name}={number(getattr(p, name))}" for name in SCALES if name != "noobject_scale"]
    options += ["logistic_slope=True"] if p.use_logic_gradient else []
    options += [f"smooth={number(p.label_smooth_eps)}"] if p.label_smooth_eps else []
    return Form(
        f"yolov3_loss({{0}}, {{1}}, {', '.join(options)})", helpers=(*LEARNS, helpers.yolov3_loss)
    )


def _pairs(rows: Sequence[Sequence[float]]) -> str:
    """Widths and heights."""
    return f"[{', '.join(f'({number(width)}, {number(height)})' for width, height in rows)}]"
