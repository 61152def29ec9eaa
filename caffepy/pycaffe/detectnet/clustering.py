"""``caffe.layers.detectnet.clustering``: from DetectNet's grid to lists of boxes."""

# N pictures, C classes, GH GW cells, M max_boxes; a box is x1, y1, x2, y2 in pixels

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from caffepy.layers.common.python_blob import PythonBlob
from caffepy.layers.custom.python import UserLayer
from caffepy.pycaffe.detectnet.rectangles import group_rectangles

Floats: TypeAlias = npt.NDArray[np.float32]
Doubles: TypeAlias = npt.NDArray[np.float64]
Blobs: TypeAlias = Sequence[PythonBlob]

MAX_BOXES = 50


class _Cluster(UserLayer):
    """Base of both layers.

    Bottoms: coverage (N, C, GH, GW), and boxes (N, 4, GH, GW) relative to the corners of the cells.
    There is a top for each class.
    """

    names: ClassVar[tuple[str, ...]]
    """What param_str begins with, separated by commas.

    Then may come num_classes (1) and max_boxes (50).
    """

    def setup(self, bottom: Blobs, top: Blobs) -> None:
        names = (*self.names, "num_classes", "max_boxes")
        given = self.param_str.split(",")
        try:
            numbers = dict(zip(names, (float(text) for text in given)))
        except ValueError as error:
            raise ValueError(
                f"param_str is '{self.param_str}'; needed: numbers, {', '.join(names)}"
            ) from error
        if not len(self.names) <= len(given) <= len(names):
            raise ValueError(
                f"param_str has {len(given)} numbers; needed: {', '.join(names)}, of which"
                " the last two may be missing"
            )
        self.numbers = numbers
        self.stride = int(numbers["stride"])
        if self.stride < 1:
            raise ValueError(f"stride is {self.stride}; needed: at least 1")
        self.cells = (
            int(numbers["image_size_y"]) // self.stride,
            int(numbers["image_size_x"]) // self.stride,
        )
        self.classes = int(numbers.get("num_classes", 1))
        self.max_boxes = int(numbers.get("max_boxes", MAX_BOXES))
        if len(top) != self.classes:
            raise ValueError(
                f"there are {len(top)} tops; needed: {self.classes}, num_classes of param_str"
            )

    def reshape(self, bottom: Blobs, top: Blobs) -> None:
        """(N, M, 5) for each class."""
        coverage = tuple(bottom[0].data.shape)
        boxes = tuple(bottom[1].data.shape)
        if len(coverage) != 4 or coverage[1] != self.classes:
            raise ValueError(
                f"bottom 0 is {coverage}; needed: (number, {self.classes}, height, width),"
                " num_classes of param_str"
            )
        if boxes != (coverage[0], 4, *coverage[2:]):
            raise ValueError(f"bottom 1 is {boxes}; needed: {(coverage[0], 4, *coverage[2:])}")
        for blob in top:
            blob.reshape(coverage[0], self.max_boxes, 5)

    def forward(self, bottom: Blobs, top: Blobs) -> None:
        """The boxes of each picture, and then zeros."""
        for number, blob in enumerate(top):
            blob.data[...] = 0
            for picture, (coverage, corners) in enumerate(
                zip(bottom[0].data[:, number], bottom[1].data)
            ):
                rows = self.listed(*self._in_pixels(coverage, corners))[: self.max_boxes]
                blob.data[picture, : len(rows), : rows.shape[1]] = rows.astype(np.float16)

    def backward(self, top: Blobs, propagate_down: Sequence[bool], bottom: Blobs) -> None:
        """Nothing flows back: lists of boxes have no gradient."""

    @abstractmethod
    def listed(self, coverage: Floats, boxes: Doubles) -> Doubles:
        """Rows of the top from coverage (B,) and boxes (B, 4) of a picture's cells."""

    def _in_pixels(self, coverage: Floats, corners: Floats) -> tuple[Floats, Doubles]:
        rows, columns = self.cells
        here = coverage[:rows, :columns]
        y, x = (at.ravel() * self.stride for at in np.indices(here.shape))
        offsets = corners[:, :rows, :columns].reshape(4, -1).T.astype(np.float64)
        return here.ravel(), offsets + np.stack((x, y, x, y), 1)


class ClusterGroundtruth(_Cluster):
    """The boxes of the labels.  ``caffe.layers.detectnet.clustering.ClusterGroundtruth``.

    Bottom: coverage of the labels (N, C, GH, GW) and their boxes (N, 4, GH, GW).
    Top:    for each class (N, M, 5): x1, y1, x2, y2, 0; rows of zeros behind the boxes. The values
            are rounded to half precision, as NVIDIA Caffe's are.
    Proto:  param_str: image_size_x, image_size_y, stride[, num_classes[, max_boxes]]
    """

    names = ("image_size_x", "image_size_y", "stride")

    def listed(self, coverage: Floats, boxes: Doubles) -> Doubles:
        different = list(dict.fromkeys(map(tuple, boxes[coverage > 0].tolist())))
        if len(different) > self.max_boxes:
            raise ValueError(
                f"a picture has {len(different)} boxes; needed: up to {self.max_boxes}, or more"
                " max_boxes in param_str"
            )
        return np.array(different, np.float64).reshape(-1, 4)


class ClusterDetections(_Cluster):
    """Boxes that several cells agree on.  ``caffe.layers.detectnet.clustering.ClusterDetections``.

    Bottom: coverage (N, C, GH, GW) and boxes (N, 4, GH, GW), as the net gives them.
    Top:    for each class (N, M, 5): x1, y1, x2, y2, log of the number of cells; of more than M
            boxes the first. Rows of zeros behind them.
    Proto:  param_str: image_size_x, image_size_y, stride, gridbox_cvg_threshold (least coverage),
            gridbox_rect_thresh (a box needs more cells), gridbox_rect_eps (how near they lie),
            min_height[, num_classes[, max_boxes]]
    Source: NVIDIA Caffe 0.17; before 0.17.2 it took x2 and y2 for width and height where it
            compares boxes
    """

    names = (
        *("image_size_x", "image_size_y", "stride"),
        *("gridbox_cvg_threshold", "gridbox_rect_thresh", "gridbox_rect_eps", "min_height"),
    )

    def listed(self, coverage: Floats, boxes: Doubles) -> Doubles:
        """The means of groups of like boxes."""
        proposed = boxes[coverage >= np.float32(self.numbers["gridbox_cvg_threshold"])]
        if not proposed.any():
            return np.zeros((0, 5))
        rectangles = np.concatenate((proposed[:, :2], proposed[:, 2:] - proposed[:, :2]), 1)
        if not np.isfinite(rectangles).all():
            raise ValueError(
                "the net gives boxes that are no finite numbers; needed: a net that has"
                " not diverged"
            )
        means, sizes = group_rectangles(
            rectangles.astype(np.int64),
            int(self.numbers["gridbox_rect_thresh"]),
            self.numbers["gridbox_rect_eps"],
        )
        corners = np.concatenate((means[:, :2], means[:, :2] + means[:, 2:]), 1)
        rows = np.concatenate((corners, np.log(sizes)[:, None]), 1)
        return rows[means[:, 3] >= int(self.numbers["min_height"])]
