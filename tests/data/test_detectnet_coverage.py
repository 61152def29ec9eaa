"""DetectNet's grid of boxes."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from caffepy.data.detectnet_coverage import Coverage
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse

Floats = npt.NDArray[np.float32]


def ground_truth(text: str) -> caffe_pb2.DetectNetGroundTruthParameter:
    param = caffe_pb2.DetectNetGroundTruthParameter()
    parse(text, param, file="test")
    return param


def grid(text: str, *boxes: tuple[float, float, float, float, float]) -> Floats:
    """Boxes: x, y, width, height, class."""
    coverage = Coverage(ground_truth(text))
    out = np.full(coverage.shape, 7, np.float32)
    rows = np.array(boxes, np.float32).reshape(-1, 5)
    coverage.fill(rows[:, :4], rows[:, 4], out)
    return out


def test_a_box_by_hand() -> None:
    """The middle 0.5 of a box from (8, 4) to (24, 20) is (12, 8) to (20, 16): the cells of 8 pixels at x 8 and 16, y 8."""
    found = grid(
        "stride: 8 scale_cvg: 0.5 gridbox_type: GRIDBOX_MAX image_size_x: 32 image_size_y: 24 obj_norm: true",
        (8, 4, 16, 16, 1),
    )
    assert found.shape == (9, 3, 4)
    covered = np.zeros((3, 4), bool)
    covered[1, 1:3] = True
    assert not found[:, ~covered].any()
    assert found[:, 1, 1].tolist() == [1, 0, -4, 16, 12, 1 / 16, 1 / 16, 1, 1]
    assert found[:, 1, 2].tolist() == [1, -8, -4, 8, 12, 1 / 16, 1 / 16, 1, 1]


@pytest.mark.parametrize(
    ("fields", "cells"),
    [
        ("gridbox_type: GRIDBOX_MIN min_cvg_len: 12 scale_cvg: 0.25", 12),
        ("gridbox_type: GRIDBOX_MIN min_cvg_len: 100 scale_cvg: 0.25", 40),
        ("gridbox_type: GRIDBOX_MIN min_cvg_len: 2 scale_cvg: 0.5", 20),
        ("gridbox_type: GRIDBOX_MAX max_cvg_len: 12 scale_cvg: 0.5", 12),
        ("max_cvg_len: 100 scale_cvg: 0.5", 20),
    ],
)
def test_how_much_of_a_box_is_covered(fields: str, cells: int) -> None:
    """A box of 40 x 40 in cells of one pixel."""
    found = grid(f"stride: 1 image_size_x: 60 image_size_y: 50 {fields}", (10, 4, 40, 40, 1))
    assert found[0].sum() == cells**2
    rows, columns = np.nonzero(found[0])
    assert (rows.min() + rows.max() + 1, columns.min() + columns.max() + 1) == (48, 60)
    np.testing.assert_array_equal(found[7][found[0] > 0], 1)  # 1 / cells^2, but at least 1


def slow(
    param: caffe_pb2.DetectNetGroundTruthParameter, boxes: Floats, shape: tuple[int, ...]
) -> npt.NDArray[np.float64]:
    """Cell by cell, from what the planes are to say."""
    out, stride = np.zeros(shape), param.stride
    planes = {mapping.src: mapping.dst for mapping in param.object_class} or {1: 0}
    for x, y, width, height, number in boxes.astype(np.float64):
        x2, y2 = x + width, y + height
        if param.crop_bboxes:
            x, y, x2, y2 = (
                max(x, 0),
                max(y, 0),
                min(x2, param.image_size_x),
                min(y2, param.image_size_y),
            )
        if number not in planes or x2 <= x or y2 <= y:
            continue
        half = []
        for side in (x2 - x, y2 - y):
            part = side * param.scale_cvg
            part = (
                min(side, max(part, param.min_cvg_len))
                if param.gridbox_type == 1
                else min(part, param.max_cvg_len)
            )
            half.append(part / 2)
        middle = ((x + x2) / 2, (y + y2) / 2)
        for row in range(shape[1]):
            for column in range(shape[2]):
                cell = (column * stride, row * stride)
                wide, high = (
                    min(m + h, c + stride) - max(m - h, c) for m, h, c in zip(middle, half, cell)
                )
                if wide > 0 and high > 0 and wide * high / stride**2 > 1.2e-7:
                    norm = stride**2 / (4 * half[0] * half[1])
                    out[:, row, column] = 0
                    out[:8, row, column] = (
                        *(
                            1,
                            x - cell[0],
                            y - cell[1],
                            x2 - cell[0],
                            y2 - cell[1],
                            1 / (x2 - x),
                            1 / (y2 - y),
                        ),
                        norm if param.obj_norm else max(1, norm),
                    )
                    out[8 + planes[int(number)], row, column] = 1
    return out


@pytest.mark.parametrize("crops", ["true", "false"])
@pytest.mark.parametrize("kind", ["GRIDBOX_MIN min_cvg_len: 6", "GRIDBOX_MAX max_cvg_len: 9"])
@pytest.mark.parametrize(
    "classes", ["", "object_class { src: 1 dst: 2 } object_class { src: 8 dst: 0 }"]
)
def test_many_boxes_are_those_of_a_slow_loop(crops: str, kind: str, classes: str) -> None:
    text = f"stride: 4 scale_cvg: 0.4 gridbox_type: {kind} image_size_x: 44 image_size_y: 30 crop_bboxes: {crops} {classes}"
    for norm in ("", "obj_norm: true"):
        random = np.random.default_rng(3)
        boxes = np.concatenate(
            (
                random.uniform(-10, 40, (12, 2)),
                random.uniform(1, 25, (12, 2)),
                random.choice([1, 8, 0], (12, 1)),
            ),
            1,
        )
        found = grid(f"{text} {norm}", *boxes)
        assert found.shape == (11 if classes else 9, 8, 11)  # 30 / 4 = 7.5 is rounded half to even
        assert 8 < found[0].sum() < 88
        wanted = slow(ground_truth(f"{text} {norm}"), boxes.astype(np.float32), found.shape)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_boxes_that_are_left_out() -> None:
    text = "stride: 4 image_size_x: 16 image_size_y: 16"
    for box in ((2, 2, 9, 9, 3), (20, 2, 9, 9, 1), (2, 2, 0, 9, 1), (2, 2, 9, -3, 1)):
        assert not grid(text, box).any()
    assert not grid(text).any()
    for x in (20, 1e30, -1e30):
        assert not grid(f"{text} crop_bboxes: false", (x, 2, 9, 9, 1)).any()


def test_refusals() -> None:
    with pytest.raises(
        DataError, match="stride is 0, image_size_x 1248 and image_size_y 384; needed: at least 1"
    ):
        Coverage(ground_truth("stride: 0"))
    with pytest.raises(
        DataError, match="an image of 8 x 384 has no cell of stride 16; needed: a smaller stride"
    ):
        Coverage(ground_truth("stride: 16 image_size_x: 8"))
    assert math.prod(Coverage(ground_truth("stride: 16")).shape) == 9 * 24 * 78
