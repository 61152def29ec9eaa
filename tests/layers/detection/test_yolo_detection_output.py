"""YoloDetectionOutput."""

from __future__ import annotations

import math

import pytest
import torch

from tests.layers.check import check_layer, refusal, tops, values

ANCHORS = ((1.0, 0.75), (1.5, 2.5))
CLASSES = 3
CHANNELS = len(ANCHORS) * (5 + CLASSES)


def layer(fields: str = "", second: str = "", *, classes: str = f"num_classes: {CLASSES}") -> str:
    biases = " ".join(f"biases: {bias}" for anchor in ANCHORS for bias in anchor)
    return (
        f'layer {{ name: "l" type: "YoloDetectionOutput" bottom: "x" {second} top: "y" '
        f"yolo_detection_output_param {{ {classes} num_box: 2 {biases} {fields} }} }}"
    )


Found = tuple[float, int, list[float]]
"""Score, class and box."""

SECOND, PICTURE = 'bottom: "z"', 'bottom: "p"'


def boxes(x: torch.Tensor) -> list[Found]:
    """Score, class and box of each anchor of a map (channels, H, W), the best first."""
    found = []
    for a, row, column in ((a, row, column) for row in range(x.shape[1]) for column in range(x.shape[2]) for a in range(2)):
        v = x[a * (5 + CLASSES) : (a + 1) * (5 + CLASSES), row, column].double()
        classes = v[5:].softmax(0)
        score = float(v[4].sigmoid() * classes.max())
        middle = [(column + float(v[0].sigmoid())) / x.shape[2], (row + float(v[1].sigmoid())) / x.shape[1]]
        sides = [math.exp(v[2]) * ANCHORS[a][0] / x.shape[2], math.exp(v[3]) * ANCHORS[a][1] / x.shape[1]]
        found.append((score, int(classes.argmax()), middle + sides))
    return sorted(found, key=lambda each: -each[0])


def corners(box: list[float]) -> list[float]:
    x, y, w, h = box
    return [x - w / 2, y - h / 2, x + w / 2, y + h / 2]


def iou(a: list[float], b: list[float]) -> float:
    w, h = (min(a[i + 2], b[i + 2]) - max(a[i], b[i]) for i in (0, 1))
    common = max(0.0, w) * max(0.0, h)
    return common / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common)


def kept(found: list[Found], least: float, most: float, *, clipped: bool = False) -> list[Found]:
    rest: list[Found] = []

    def seen(box: list[float]) -> list[float]:
        return [min(max(v, 0), 1) for v in corners(box)] if clipped else corners(box)

    for each in found:
        if each[0] >= least and all(iou(seen(each[2]), seen(other[2])) < most for other in rest):
            rest.append(each)
    return rest


def test_layer() -> None:
    """Nothing reaches the threshold, so that there is one row, as the shape rule says."""
    check_layer(layer("confidence_threshold: 1.5"), x=(1, CHANNELS, 2, 3))
    check_layer(layer("confidence_threshold: 1.5", SECOND), x=(1, CHANNELS, 2, 3), z=(1, CHANNELS, 4, 6))
    check_layer(layer("confidence_threshold: 1.5", PICTURE), x=(1, CHANNELS, 2, 3), p=(1, 3, 8, 12))


@pytest.mark.parametrize(("least", "most"), [(0.01, 0.45), (0.25, 0.45), (0.1, 0.2), (0.0, 1.1)])
def test_corners_and_labels_from_1(least: float, most: float) -> None:
    x = values((2, CHANNELS, 3, 4)) * 2
    found = tops(layer(f"confidence_threshold: {least} nms_threshold: {most}"), x=x)[0][0, 0]
    wanted = [[i, label + 1, score, *corners(box)] for i in range(2) for score, label, box in kept(boxes(x[i]), least, most)]
    assert len(wanted) > 4
    torch.testing.assert_close(found, torch.tensor(wanted, dtype=torch.float32), rtol=1e-4, atol=1e-5)


def test_two_maps_suppress_one_another() -> None:
    x, z = values((1, CHANNELS, 2, 3)), values((1, CHANNELS, 4, 6), 1)
    found = tops(layer("confidence_threshold: 0.1", SECOND), x=x, z=z)[0][0, 0]
    both = sorted(boxes(x[0]) + boxes(z[0]), key=lambda each: -each[0])
    wanted = [[0, label + 1, score, *corners(box)] for score, label, box in kept(both, 0.1, 0.45)]
    torch.testing.assert_close(found, torch.tensor(wanted, dtype=torch.float32), rtol=1e-4, atol=1e-5)


def test_beside_a_picture_middles_and_sizes_and_labels_from_0() -> None:
    x = values((2, CHANNELS, 3, 4)) * 2
    found = tops(layer("confidence_threshold: 0.05", PICTURE), x=x, p=(2, 3, 9, 9))[0][0, 0]
    wanted = [[i, label, score, *box] for i in range(2) for score, label, box in kept(boxes(x[i]), 0.05, 0.45, clipped=True)]
    torch.testing.assert_close(found, torch.tensor(wanted, dtype=torch.float32), rtol=1e-4, atol=1e-5)


def test_nothing_found() -> None:
    assert tops(layer("confidence_threshold: 1.5"), x=(2, CHANNELS, 1, 1))[0].tolist() == [[[[0] + [-1] * 6, [1] + [-1] * 6]]]


def test_refusals() -> None:
    x = (1, CHANNELS, 2, 3)
    assert "num_classes is not given" in refusal(layer(classes=""), x=x)
    assert "bottom 0 is (1, 15, 2, 3); needed: (N, 16, H, W)" in refusal(layer(), x=(1, 15, 2, 3))
    assert "bottom 1 is (1, 4, 2, 3); needed: (N, 16, H, W)" in refusal(layer("", SECOND), x=x, z=(1, 4, 2, 3))
    assert "bottom 0 is (1, 16, 2, 3) and bottom 1 (2, 3, 8, 8); needed: the same first dim" in refusal(
        layer("", PICTURE), x=x, p=(2, 3, 8, 8)
    )
    assert "biases is given 3 times; needed: 4 numbers > 0" in refusal(layer().replace("biases: 2.5", ""), x=x)
    assert "coords is 3; needed: 4" in refusal(layer("coords: 3"), x=x)


def test_infinite_scores_of_a_net_that_has_diverged() -> None:
    """Nothing is said of them, and nothing is found."""
    assert tops(layer(), phase=1, x=torch.full((1, CHANNELS, 2, 2), math.inf))[0].shape[-1] == 7
