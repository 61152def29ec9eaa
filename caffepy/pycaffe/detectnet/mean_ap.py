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

TRUE_POSITIVE, FALSE_POSITIVE, MISSED = 1, 2, 3
IOU_THRESHOLD = 0.7


class ScoreDetections(UserLayer):
    """Marks the boxes that were found, rightly or wrongly, and those that were missed.

    ``caffe.layers.detectnet.mean_ap.ScoreDetections``.

    Bottom: boxes of the labels (N, M, 5) and those found (N, M', 5), x1, y1, x2, y2 and another number; rows of zeros are none.
    Top:    (N, M + M', 5): x1, y1, x2, y2 and 1 found rightly, 2 found wrongly, 3 missed; zeros behind them. A box of the labels takes
            the first that overlaps it enough and is free.
    Proto:  param_str: the least overlap over union; none: 0.7
    """

    def setup(self, bottom: Blobs, top: Blobs) -> None:
        """Read param_str."""
        try:
            self.threshold = float(self.param_str or IOU_THRESHOLD)
        except ValueError as error:
            raise ValueError(
                f"param_str is '{self.param_str}'; needed: the least overlap over union, a number"
            ) from error

    def reshape(self, bottom: Blobs, top: Blobs) -> None:
        """Room for all."""
        shapes = [tuple(blob.data.shape) for blob in bottom]
        for i, shape in enumerate(shapes):
            if len(shape) != 3 or shape[0] != shapes[0][0] or shape[2] != 5:
                raise ValueError(f"bottom {i} is {shape}; needed: ({shapes[0][0]}, boxes, 5)")
        top[0].reshape(shapes[0][0], shapes[0][1] + shapes[1][1], 5)

    def forward(self, bottom: Blobs, top: Blobs) -> None:
        """Picture by picture."""
        top[0].data[...] = 0
        for marked, labels, found in zip(top[0].data, bottom[0].data, bottom[1].data):
            rows = self._marked(*(boxes[boxes[:, :4].any(1), :4] for boxes in (labels, found)))
            marked[: len(rows)] = rows

    def backward(self, top: Blobs, propagate_down: Sequence[bool], bottom: Blobs) -> None:
        """No gradient."""

    def _marked(self, labels: Floats, found: Floats) -> Floats:
        missed, wrong = np.ones(len(labels), bool), np.ones(len(found), bool)
        for i, label in enumerate(labels):
            free = np.flatnonzero(wrong & (_overlaps(label, found) >= self.threshold))
            if len(free):
                missed[i] = wrong[free[0]] = False
        parts = (
            (found[~wrong], TRUE_POSITIVE),
            (found[wrong], FALSE_POSITIVE),
            (labels[missed], MISSED),
        )
        return np.concatenate(
            [np.pad(boxes, ((0, 0), (0, 1)), constant_values=mark) for boxes, mark in parts]
        )


class mAP(UserLayer):
    """Precision, recall and their product, in percent.  ``caffe.layers.detectnet.mean_ap.mAP``.

    Bottom: (N, M, 5), as ScoreDetections marks boxes.
    Top:    mAP (1,), precision * recall; precision (1,), of the boxes found; recall (1,), of those of the labels. 0 / 0 is 0.
    Proto:  param_str has no effect
    """

    def reshape(self, bottom: Blobs, top: Blobs) -> None:
        """A number each."""
        if len(top) != 3:
            raise ValueError(f"there are {len(top)} tops; needed: 3, mAP, precision and recall")
        for blob in top:
            blob.reshape(1)

    def forward(self, bottom: Blobs, top: Blobs) -> None:
        """Count the marks of all pictures."""
        right, wrong, missed = (
            int((bottom[0].data[..., 4] == mark).sum())
            for mark in (TRUE_POSITIVE, FALSE_POSITIVE, MISSED)
        )
        precision, recall = (100 * right / max(right + other, 1) for other in (wrong, missed))
        for blob, value in zip(top, (precision * recall / 100, precision, recall)):
            blob.data[...] = value

    def backward(self, top: Blobs, propagate_down: Sequence[bool], bottom: Blobs) -> None:
        """No gradient."""


def _overlaps(box: Floats, others: Floats) -> Floats:
    """Intersection over union of a box (4,) with others (M, 4); 0 where they do not overlap."""
    shared = np.maximum(
        np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2]), 0
    ).prod(1)
    areas = (others[:, 2:] - others[:, :2]).prod(1) + (box[2:] - box[:2]).prod()
    found: Floats = np.divide(shared, areas - shared, out=np.zeros_like(shared), where=shared > 0)
    return found
