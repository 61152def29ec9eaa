"""Yolov3DetectionOutput."""

from __future__ import annotations

import math

import pytest
import torch

from tests.layers.check import check_layer, refusal, tops, values
from tests.layers.detection.test_yolo_detection_output import Found, corners, kept

ANCHORS = ((20.0, 37.0), (49.0, 94.0), (73.0, 201.0), (143.0, 265.0))
MASK, SCALES = ((3, 1), (0, 2)), (32, 16)
CLASSES = 3
CHANNELS = 2 * (5 + CLASSES)
SECOND = 'bottom: "z"'


def layer(fields: str = "", second: str = SECOND, *, mask: str | None = None, scales: str | None = None, groups: int = 2) -> str:
    biases = " ".join(f"biases: {bias}" for anchor in ANCHORS for bias in anchor)
    mask = " ".join(f"mask: {index}" for own in MASK for index in own) if mask is None else mask
    scales = " ".join(f"anchors_scale: {scale}" for scale in SCALES) if scales is None else scales
    return (
        f'layer {{ name: "l" type: "Yolov3DetectionOutput" bottom: "x" {second} top: "y" yolov3_detection_output_param '
        f"{{ num_classes: {CLASSES} num_box: 2 mask_group_num: {groups} {biases} {mask} {scales} {fields} }} }}"
    )


def boxes(x: torch.Tensor, number: int) -> list[Found]:
    """Score, class and box for each class of each anchor of a map (channels, H, W)."""
    found, (height, width) = [], x.shape[1:]
    for a, row, column in ((a, row, column) for row in range(height) for column in range(width) for a in range(2)):
        v = x[a * (5 + CLASSES) : (a + 1) * (5 + CLASSES), row, column].double()
        anchor = ANCHORS[MASK[number][a]]
        middle = [(column + float(v[0].sigmoid())) / width, (row + float(v[1].sigmoid())) / height]
        sides = [math.exp(v[2 + i]) * anchor[i] / ((width, height)[i] * SCALES[number]) for i in (0, 1)]
        found += [(float(v[4].sigmoid() * v[5 + c].sigmoid()), c, middle + sides) for c in range(CLASSES)]
    return found


def test_layer() -> None:
    """Nothing exceeds the threshold, so that there is one row, as the shape rule says."""
    check_layer(layer("confidence_threshold: 1"), x=(1, CHANNELS, 2, 3), z=(1, CHANNELS, 4, 6))


@pytest.mark.parametrize(("least", "most"), [(0.01, 0.45), (0.3, 0.45), (0.2, 0.1)])
def test_two_maps_and_several_classes(least: float, most: float) -> None:
    x, z = values((2, CHANNELS, 2, 3)) * 2, values((2, CHANNELS, 4, 6), 1) * 2
    found = tops(layer(f"confidence_threshold: {least} nms_threshold: {most}"), x=x, z=z)[0][0, 0]
    wanted = []
    for i in range(2):
        every = sorted(boxes(x[i], 0) + boxes(z[i], 1), key=lambda each: -each[0])
        wanted += [[i, label + 1, score, *corners(box)] for score, label, box in kept(every, least, most)]
    assert len(wanted) > 6
    torch.testing.assert_close(found, torch.tensor(wanted, dtype=torch.float32), rtol=1e-4, atol=1e-5)


def test_an_equal_part_of_the_masks_is_each_maps() -> None:
    """Of which the first two count, as many as num_box."""
    given = {"x": values((1, CHANNELS, 2, 3)), "z": values((1, CHANNELS, 4, 6), seed=1)}
    more = " ".join(f"mask: {index}" for own in MASK for index in (*own, 0))
    scales = " ".join(f"anchors_scale: {scale}" for scale in (*SCALES, 0))
    assert torch.equal(tops(layer(mask=more, scales=scales), **given)[0], tops(layer(), **given)[0])


def test_refusals() -> None:
    x, z = (1, CHANNELS, 2, 3), (1, CHANNELS, 4, 6)
    assert "bottom 1 is (1, 15, 4, 6); needed: (N, 16, H, W)" in refusal(layer(), x=x, z=(1, 15, 4, 6))
    assert "bottom 0 is (1, 16, 2, 3) and bottom 1 (2, 16, 4, 6); needed: the same first dim" in refusal(
        layer(), x=x, z=(2, CHANNELS, 4, 6)
    )
    assert "mask is given 3 times, anchors_scale 2 times" in refusal(layer(mask="mask: 0 mask: 1 mask: 2"), x=x, z=z)
    assert "anchors_scale 1 times and mask_group_num is 2 for 2 map(s)" in refusal(layer(scales="anchors_scale: 32"), x=x, z=z)
    assert "mask_group_num is 2 for 1 map(s) of 2 anchors; needed: 2 times, 1 times" in refusal(layer(second=""), x=x)
    assert "mask_group_num is 3" in refusal(layer(groups=3), x=x, z=z)
    assert "mask is 4; needed: 0 to 3, as biases has 4 anchors" in refusal(layer(mask="mask: 0 mask: 1 mask: 2 mask: 4"), x=x, z=z)
    assert "biases is given 9 times; needed: 10 numbers" in refusal(layer("biases: 3"), x=x, z=z)
    assert "gaussian_box is true" in refusal(layer("gaussian_box: true"), x=x, z=z)
