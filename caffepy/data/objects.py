"""Objects of an annotated image: boxes with labels, and their changes by crops and resizing.

A box is (xmin, ymin, xmax, ymax) relative to the image's size, in float32. A window is a box too,
and may reach beyond the image.
"""

# N objects

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

Floats: TypeAlias = npt.NDArray[np.float32]
Box: TypeAlias = tuple[float, float, float, float]

CENTER = caffe_pb2.EmitConstraint.EmitType.Value("CENTER")
ROW = 8
"""Numbers for an object in the label blob: item, label, instance, the box, difficult."""
YOLO_ROWS, YOLO_ROW = 300, 5
"""Rows for an image in YOLO's label blob, and numbers in each.

These are the label, and the box by its centre and its size.
"""


def clipped(box: Box) -> Box:
    """The part of a window inside the image."""
    left, top, right, bottom = (min(max(edge, 0.0), 1.0) for edge in box)
    return left, top, right, bottom


def jaccard(a: Box, b: Box) -> float:
    """Intersection over union of two boxes."""
    common = _common(a, b)
    return common / (_area(a) + _area(b) - common) if common > 0 else 0.0


def coverage(a: Box, b: Box) -> float:
    """The share of box ``a`` that is inside ``b``."""
    common = _common(a, b)
    return common / _area(a) if common > 0 else 0.0


def _common(a: Box, b: Box) -> float:
    """The area of the part that two boxes share."""
    left, top, right, bottom = a
    other_left, other_top, other_right, other_bottom = b
    width = min(right, other_right) - max(left, other_left)
    height = min(bottom, other_bottom) - max(top, other_top)
    return width * height if width > 0 and height > 0 else 0.0


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


@dataclass(frozen=True)
class Objects:
    """Objects of one image in the order of their groups. ``boxes``: (N, 4); the others: (N,)."""

    boxes: Floats
    labels: npt.NDArray[np.int64]
    instances: npt.NDArray[np.int64]
    difficult: npt.NDArray[np.bool_]

    @classmethod
    def from_proto(cls, groups: Iterable[caffe_pb2.AnnotationGroup]) -> Objects:
        """``groups``: the annotation_group of a caffe.AnnotatedDatum."""
        annotations = []
        for group in groups:
            for item in group.annotation:
                annotations.append((group.group_label, item.instance_id, item.bbox))
        boxes = np.array(
            [(box.xmin, box.ymin, box.xmax, box.ymax) for _, _, box in annotations], np.float32
        ).reshape(-1, 4)
        return cls(
            boxes,
            np.array([label for label, _, _ in annotations], np.int64),
            np.array([instance for _, instance, _ in annotations], np.int64),
            np.array([box.difficult for _, _, box in annotations], np.bool_),
        )

    def __len__(self) -> int:
        return len(self.boxes)

    def seen_through(self, window: Box, emit: caffe_pb2.EmitConstraint | None = None) -> Objects:
        """The objects that a window shows, relative to the window and clipped to it.

        ``emit``: an EmitConstraint. Only those objects stay whose centre is inside, or of which
        enough is. Source: ``ProjectBBox``.
        """
        edges = np.array(window, np.float32)
        boxes = self.boxes
        low, high = edges[:2], edges[2:]
        inside = (boxes[:, :2] < high).all(1) & (boxes[:, 2:] > low).all(1)
        if emit is not None and emit.emit_type == CENTER:
            centers = (boxes[:, :2] + boxes[:, 2:]) / np.float32(2)
            inside &= ((centers >= low) & (centers <= high)).all(1)
        elif emit is not None:
            inside &= np.array(
                [coverage(tuple(box), window) > emit.emit_overlap for box in boxes.tolist()],
                np.bool_,
            )
        seen = ((boxes - np.tile(low, 2)) / np.tile(high - low, 2)).clip(0, 1)
        inside &= (seen[:, 2:] > seen[:, :2]).all(1)
        return Objects(
            seen[inside], self.labels[inside], self.instances[inside], self.difficult[inside]
        )

    def with_boxes(self, boxes: Floats) -> Objects:
        """The same objects with other boxes."""
        return replace(self, boxes=boxes)

    def mirrored(self) -> Objects:
        """The objects of the image mirrored left to right."""
        left, top, right, bottom = self.boxes.T
        return self.with_boxes(np.stack((1 - right, top, 1 - left, bottom), 1))

    def rows(self, item: int) -> Floats:
        """The rows of the label blob, (N, 8).

        ``item``: the image's place in its batch.
        """
        rows = np.empty((len(self), ROW), np.float32)
        rows[:, 0] = item
        rows[:, 1] = self.labels
        rows[:, 2] = self.instances
        rows[:, 3:7] = self.boxes
        rows[:, 7] = self.difficult
        return rows

    def yolo_rows(self, *, difficult: bool) -> Floats:
        """The rows of YOLO's label blob, (300, 5), zeros after the last object.

        Labels count from 0. ``difficult``: whether difficult objects are in it. DataError for more
        than 300.
        """
        seen = ~self.difficult | difficult
        if seen.sum() > YOLO_ROWS:
            raise DataError(
                f"has {seen.sum()} objects; needed: at most {YOLO_ROWS}"
                " (annotated_data_param.yolo_data_type: 1)"
            )
        low, high = self.boxes[seen, :2], self.boxes[seen, 2:]
        rows = np.zeros((YOLO_ROWS, YOLO_ROW), np.float32)
        rows[: len(low)] = np.column_stack(
            (self.labels[seen] - 1, (low + high) / np.float32(2), high - low)
        )
        return rows
