"""``caffe.layers.detectnet.mean_ap``: how many of DetectNet's boxes are right."""

# N pictures, M boxes

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from caffepy.layers.common.python_blob import PythonBlob
from caffepy.layers.custom.python import UserLayer

Floats: TypeAlias = npt.NDArray[np.float32]
Blobs: TypeAlias = Sequence[PythonBlob]

TRUE_POSITIVE = 1
FALSE_POSITIVE = 2
MISSED = 3
IOU_THRESHOLD = 0.7


class ScoreDetections(UserLayer):
    """Marks detections as right or wrong, and the boxes of labels that were missed.

    ``caffe.layers.detectnet.mean_ap.ScoreDetections``.

    Bottom: boxes of the labels (N, M, 5) and detections (N, M', 5): x1, y1, x2, y2 and another
            number; rows of zeros are no boxes.
    Top:    (N, M + M', 5): x1, y1, x2, y2 and a mark: 1 true positive, 2 false positive, 3 missed;
            rows of zeros behind them. A label's box takes the first detection that overlaps it
            enough and is not taken yet.
    Proto:  param_str: the least overlap over union; none: 0.7
    """

    def setup(self, bottom: Blobs, top: Blobs) -> None:
        try:
            self.threshold = float(self.param_str or IOU_THRESHOLD)
        except ValueError as error:
            raise ValueError(
                f"param_str is '{self.param_str}'; needed: the least overlap over union, a number"
            ) from error

    def reshape(self, bottom: Blobs, top: Blobs) -> None:
        shapes = [tuple(blob.data.shape) for blob in bottom]
        for i, shape in enumerate(shapes):
            if len(shape) != 3 or shape[0] != shapes[0][0] or shape[2] != 5:
                raise ValueError(f"bottom {i} is {shape}; needed: ({shapes[0][0]}, boxes, 5)")
        top[0].reshape(shapes[0][0], shapes[0][1] + shapes[1][1], 5)

    def forward(self, bottom: Blobs, top: Blobs) -> None:
        top[0].data[...] = 0
        for marked, labels, detections in zip(top[0].data, bottom[0].data, bottom[1].data):
            rows = self._marked(_boxes(labels), _boxes(detections))
            marked[: len(rows)] = rows

    def backward(self, top: Blobs, propagate_down: Sequence[bool], bottom: Blobs) -> None:
        """Nothing flows back: marks and counts have no gradient."""

    def _marked(self, labels: Floats, detections: Floats) -> Floats:
        missed = np.ones(len(labels), bool)
        wrong = np.ones(len(detections), bool)
        for i, label in enumerate(labels):
            free = np.flatnonzero(wrong & (_overlaps(label, detections) >= self.threshold))
            if len(free):
                missed[i] = False
                wrong[free[0]] = False
        parts = (
            (detections[~wrong], TRUE_POSITIVE),
            (detections[wrong], FALSE_POSITIVE),
            (labels[missed], MISSED),
        )
        return np.concatenate(
            [np.pad(boxes, ((0, 0), (0, 1)), constant_values=mark) for boxes, mark in parts]
        )


class mAP(UserLayer):
    """Precision, recall and their product, in percent.  ``caffe.layers.detectnet.mean_ap.mAP``.

    Bottom: (N, M, 5), as ScoreDetections marks boxes.
    Top:    mAP (1,), precision * recall; precision (1,), the share of detections that are right;
            recall (1,), the share of the labels' boxes that are detected. 0 / 0 is 0.
    Proto:  param_str has no effect
    """

    def reshape(self, bottom: Blobs, top: Blobs) -> None:
        if len(top) != 3:
            raise ValueError(f"there are {len(top)} tops; needed: 3, mAP, precision and recall")
        for blob in top:
            blob.reshape(1)

    def forward(self, bottom: Blobs, top: Blobs) -> None:
        """Count the marks of all pictures."""
        marks = bottom[0].data[..., 4]
        right = int((marks == TRUE_POSITIVE).sum())
        wrong = int((marks == FALSE_POSITIVE).sum())
        missed = int((marks == MISSED).sum())
        precision = 100 * right / max(right + wrong, 1)
        recall = 100 * right / max(right + missed, 1)
        for blob, value in zip(top, (precision * recall / 100, precision, recall)):
            blob.data[...] = value

    def backward(self, top: Blobs, propagate_down: Sequence[bool], bottom: Blobs) -> None:
        """Nothing flows back: marks and counts have no gradient."""


def _boxes(rows: Floats) -> Floats:
    """The corners of the boxes among rows; a row whose corners are zeros is none."""
    corners: Floats = rows[rows[:, :4].any(1), :4]
    return corners


def _overlaps(box: Floats, others: Floats) -> Floats:
    """Intersection over union of a box (4,) with others (M, 4); 0 where they do not overlap."""
    shared = np.maximum(
        np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2]), 0
    ).prod(1)
    areas = (others[:, 2:] - others[:, :2]).prod(1) + (box[2:] - box[:2]).prod()
    overlaps: Floats = np.zeros_like(shared)
    np.divide(shared, areas - shared, out=overlaps, where=shared > 0)
    return overlaps
