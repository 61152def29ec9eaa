"""``detectnet_groundtruth_param``: boxes as a grid of cells with objects, which DetectNet learns.

Cells that the middle part of a box covers are marked.
"""

# B boxes, P planes, GH GW cells; pairs are x, y

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

Floats: TypeAlias = npt.NDArray[np.float32]

GRIDBOX_MIN = caffe_pb2.DetectNetGroundTruthParameter.GridboxType.Value("GRIDBOX_MIN")
FOREGROUND, CORNERS, INVERSE_SIZE, OBJ_NORM, COVERAGE = 0, slice(1, 5), slice(5, 7), 7, 8
"""Planes of the grid; from the last on there is one for each class."""
DEFAULT_CLASSES = {1: 0}
"""The class of cars in KITTI."""
EPSILON = np.finfo(np.float32).eps
HALF = np.float32(0.5)


class Coverage:
    """Marks the cells that the middle part of a box covers, in float32.

    Source: ``CoverageGenerator``.
    """

    def __init__(self, param: caffe_pb2.DetectNetGroundTruthParameter) -> None:
        """``param``: a caffe.DetectNetGroundTruthParameter.  DataError for a grid without cells."""
        image = np.array([param.image_size_x, param.image_size_y], np.float32)
        if not (param.stride and image.all()):
            raise DataError(
                f"detectnet_groundtruth_param: stride is {param.stride}, image_size_x"
                f" {param.image_size_x} and image_size_y"
                f" {param.image_size_y}; needed: at least 1"
            )
        self._param = param
        self._image = image
        self._stride = np.float32(param.stride)
        self._cells = np.rint(image * np.float32(1 / param.stride)).astype(np.int64)
        if not self._cells.all():
            raise DataError(
                f"detectnet_groundtruth_param: an image of {param.image_size_x} x"
                f" {param.image_size_y} has no cell of stride"
                f" {param.stride}; needed: a smaller stride"
            )
        self._planes = {
            int(mapping.src): int(mapping.dst) for mapping in param.object_class
        } or DEFAULT_CLASSES
        self.shape = (
            COVERAGE + max(self._planes.values()) + 1,
            int(self._cells[1]),
            int(self._cells[0]),
        )
        """P, GH, GW."""

    def fill(self, boxes: Floats, classes: Floats, out: Floats) -> None:
        """Fill ``out`` (P, GH, GW) for one image.

        ``boxes``: (B, 4), x, y, width, height in pixels; ``classes``: (B,). Later boxes hide
        earlier ones. Boxes of other classes, or without area, are left out.
        """
        out[...] = 0
        for box, number in zip(boxes, classes):
            corner, size = (
                self._cropped(box[:2], box[2:]) if self._param.crop_bboxes else (box[:2], box[2:])
            )
            if int(number) in self._planes and size[0] * size[1] >= EPSILON:
                self._mark(corner, size, COVERAGE + self._planes[int(number)], out)

    def _cropped(self, corner: Floats, size: Floats) -> tuple[Floats, Floats]:
        """The part of a box in the image, or a box of size 0."""
        start = np.maximum(corner, np.float32(0))
        inside = np.minimum(corner + size, self._image) - start
        return start, inside if (inside > 0).all() else np.zeros(2, np.float32)

    def _covers(self, corner: Floats, size: Floats) -> tuple[Floats, Floats]:
        """Corner and size of the middle part of a box.

        It is scale_cvg of the box: at most max_cvg_len with GRIDBOX_MAX, at least min_cvg_len with
        GRIDBOX_MIN.
        """
        p = self._param
        shrunk = size * np.float32(p.scale_cvg)
        if p.gridbox_type == GRIDBOX_MIN:
            shrunk = np.minimum(size, np.maximum(np.float32(p.min_cvg_len), shrunk))
        else:
            shrunk = np.minimum(np.float32(p.max_cvg_len), shrunk)
        center = (corner + (corner + size)) * HALF
        ends = np.stack((center - shrunk * HALF, center + shrunk * HALF))
        return ends.min(0), ends.max(0) - ends.min(0)

    def _mark(self, corner: Floats, size: Floats, plane: int, out: Floats) -> None:
        start, extent = self._covers(corner, size)
        first = np.clip(np.floor(start / self._stride), 0, self._cells).astype(np.int64)
        last = np.clip(np.ceil((start + extent) / self._stride), 0, self._cells).astype(np.int64)
        if (first >= last).any():
            return
        across, down = (
            np.arange(a, b).astype(np.float32) * self._stride for a, b in zip(first, last)
        )
        overlaps = []
        for cells, begin, length in zip((across, down), start, extent):
            overlap = np.minimum(begin + length, cells + self._stride) - np.maximum(begin, cells)
            overlaps.append(np.maximum(overlap, np.float32(0)))
        area = self._stride * self._stride
        covered = overlaps[1][:, None] * overlaps[0] / area > EPSILON
        if not covered.any():
            return
        marks = np.zeros((len(out), *covered.shape), np.float32)
        marks[FOREGROUND] = marks[plane] = 1
        cells_of_corners = np.stack(np.broadcast_arrays(across, down[:, None]) * 2)
        marks[CORNERS] = np.concatenate((corner, corner + size))[:, None, None] - cells_of_corners
        marks[INVERSE_SIZE] = (1 / size)[:, None, None]
        marks[OBJ_NORM] = max(
            np.float32(0 if self._param.obj_norm else 1), area / (extent[0] * extent[1])
        )
        window = out[:, first[1] : last[1], first[0] : last[0]]
        np.copyto(window, marks, where=covered)
