"""RegionLoss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from caffepy.layers.core.base import Run
from caffepy.layers.core.random import CaffeRandom
from tests.layers.check import TEST, TRAIN, check_layer, gradients, refusal, subject, tops, values

ANCHORS = ((1.0, 0.75), (1.5, 2.5))
CLASSES, HEIGHT, WIDTH = 3, 2, 3
CHANNELS = len(ANCHORS) * (5 + CLASSES)
SHAPE = (2, CHANNELS, HEIGHT, WIDTH)
ROWS = [
    [[2, 0.4, 0.3, 0.5, 0.9], [0, 0.9, 0.99, 0.2, 0.3], [1, 0.45, 0.35, 0.4, 0.9], [0, 0, 0, 0, 0], [1, 0.5, 0.5, 0.5, 0.5]],
    [[1, 1.0, 1.0, 0.1, 0.2], [0] * 5, [0] * 5, [0] * 5, [0] * 5],
]
UNLIKE = "its gradient is not that of its top"
Box = tuple[float, float, float, float]


def layer(fields: str = "", *, biases: Sequence[float] = sum(ANCHORS, ()), number: int = 2) -> str:
    each = " ".join(f"biases: {bias}" for bias in biases)
    return (
        'layer { name: "l" type: "RegionLoss" bottom: "x" bottom: "t" top: "y" '
        f"region_loss_param {{ num: {number} num_class: {CLASSES} {each} {fields} }} }}"
    )


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def iou(a: Box, b: Box) -> float:
    sides = [min(a[i] + a[i + 2] / 2, b[i] + b[i + 2] / 2) - max(a[i] - a[i + 2] / 2, b[i] - b[i + 2] / 2) for i in (0, 1)]
    common = 0 if min(sides) < 0 else sides[0] * sides[1]
    return common / (a[2] * a[3] + b[2] * b[3] - common)


def errors(
    x: torch.Tensor, rows: Sequence[Sequence[Sequence[float]]], *, early: bool, bias_match: bool = True, rescore: bool = True
) -> torch.Tensor:
    """What darknet's rules say, one number after the other, with the scales that `SCALES` gives."""
    found = torch.zeros_like(x)
    for n, item in enumerate(rows):

        def box(a: int, row: int, column: int, n: int = n) -> Box:
            v = [float(x[n, a * (5 + CLASSES) + c, row, column]) for c in range(4)]
            sides = [math.exp(v[2 + i]) * ANCHORS[a][i] / (WIDTH, HEIGHT)[i] for i in (0, 1)]
            return (column + sigmoid(v[0])) / WIDTH, (row + sigmoid(v[1])) / HEIGHT, sides[0], sides[1]

        objects = [row for i, row in enumerate(item) if all(each[3] for each in item[: i + 1])]
        for a, row, column in ((a, row, column) for a in range(2) for row in range(HEIGHT) for column in range(WIDTH)):
            first = a * (5 + CLASSES)
            own = x[n, first : first + 5, row, column].tolist()
            best = max((iou(box(a, row, column), tuple(each[1:])) for each in objects), default=0)
            score = sigmoid(own[4])
            found[n, first + 4, row, column] = 0 if best > 0.6 else 0.5 * score * score * (1 - score)
            for c in range(4 if early else 0):
                s = sigmoid(own[c])
                found[n, first + c, row, column] = 0.01 * ((s - 0.5) * s * (1 - s) if c < 2 else own[c])
        for label, *place in objects:
            column, row = min(int(place[0] * WIDTH), WIDTH - 1), min(int(place[1] * HEIGHT), HEIGHT - 1)
            alike = []
            for a in range(2):
                sides = (ANCHORS[a][0] / WIDTH, ANCHORS[a][1] / HEIGHT) if bias_match else box(a, row, column)[2:]
                alike.append(iou((0, 0, *sides), (0, 0, place[2], place[3])))
            a = alike.index(max(alike))
            first = a * (5 + CLASSES)
            own = x[n, first : first + 5 + CLASSES, row, column].tolist()
            scale = 2 * (1 if rescore else 2 - place[2] * place[3])
            for i, cells, at in ((0, WIDTH, column), (1, HEIGHT, row)):
                s = sigmoid(own[i])
                found[n, first + i, row, column] = scale * (s - (place[i] * cells - at)) * s * (1 - s)
                found[n, first + 2 + i, row, column] = scale * (own[2 + i] - math.log(place[2 + i] * cells / ANCHORS[a][i]))
            score = sigmoid(own[4])
            wanted = iou(box(a, row, column), tuple(place)) if rescore else 1
            found[n, first + 4, row, column] = 5 * (score - wanted) * score * (1 - score)
            total = sum(math.exp(v) for v in own[5:])
            for c in range(CLASSES):
                found[n, first + 5 + c, row, column] = 3 * (math.exp(own[5 + c]) / total - (c == label))
    return found


SCALES = "object_scale: 5 noobject_scale: 0.5 class_scale: 3 coord_scale: 2 thresh: 0.6"


@pytest.mark.usefixtures("looked_at")
def test_layer() -> None:
    for fields in ("", "anchor_images: 12800"):
        check_layer(layer(fields), no_gradcheck=UNLIKE, x=SHAPE, t=torch.tensor(ROWS)[:, None])
    check_layer(layer(), phase=TEST, no_gradcheck=UNLIKE, x=SHAPE, t=torch.zeros(2, 1, 4, 5))


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize(("phase", "images"), [(TRAIN, 0), (TRAIN, 12800), (TEST, 12800)])
@pytest.mark.parametrize("rescore", [True, False])
@pytest.mark.parametrize("bias_match", [True, False])
def test_loss_and_gradient(bias_match: bool, rescore: bool, phase: int, images: int) -> None:
    text = layer(f"{SCALES} bias_match: {int(bias_match)} rescore: {int(rescore)} anchor_images: {images}")
    given = {"x": values(SHAPE), "t": torch.tensor(ROWS)[:, None]}
    wanted = errors(given["x"], ROWS, early=phase == TRAIN and images > 0, bias_match=bias_match, rescore=rescore)
    torch.testing.assert_close(tops(text, phase=phase, **given)[0], wanted.square().sum() / 2)
    torch.testing.assert_close(gradients(text, [0.25], phase=phase, **given)[0], wanted / 2 * 0.25, rtol=1e-4, atol=1e-6)


@pytest.mark.usefixtures("looked_at")
def test_a_box_that_is_right_already_is_left_alone_and_no_object() -> None:
    """Its score is not drawn to 0; without rows all scores are."""
    x = torch.zeros(1, CHANNELS, HEIGHT, WIDTH)
    near = [[[0, 0.5 / WIDTH, 0.5 / HEIGHT, 1.0 / WIDTH, 0.75 / HEIGHT]]]
    assert gradients(layer("thresh: 0.9"), phase=TEST, x=x, t=near)[0][0, 12].abs().min() > 0
    assert gradients(layer("thresh: 0.4 object_scale: 0"), phase=TEST, x=x, t=near)[0][0, [4, 12], 0, 0].tolist() == [
        0,
        pytest.approx(1 / 16),
    ]
    assert gradients(layer(), phase=TEST, x=x, t=[[[0] * 5]])[0][0, [4, 12]].flatten().tolist() == pytest.approx([1 / 16] * 12)


@pytest.mark.usefixtures("looked_at")
def test_biases_of_more_anchors_do_not_count() -> None:
    """MobileNet-YOLO wants ten, however many anchors there are."""
    given = {"x": values(SHAPE), "t": torch.tensor(ROWS)[:, None]}
    more = layer(biases=[*sum(ANCHORS, ()), 0.5, 0, 9, 9, 9, 9])
    assert torch.equal(tops(more, **given)[0], tops(layer(), **given)[0])


@pytest.mark.usefixtures("looked_at")
def test_boxes_are_drawn_to_anchors_for_the_first_images() -> None:
    """12800 // 6400 passes, counted in TRAIN only; and none by default, as in MobileNet-YOLO since 2019."""
    it = subject(layer("anchor_images: 12800"), x=(6400, CHANNELS, 1, 1), t=torch.zeros(6400, 1, 5))
    run = Run(TRAIN, CaffeRandom(1))
    x, t = it.bottoms()
    losses = [float(it.layer.forward([x, t], [], run)[0]) for _ in range(4)]
    assert losses[0] == losses[1] > losses[2] == losses[3]
    assert float(it.layer.forward([x, t], [], Run(TEST, CaffeRandom(1)))[0]) == losses[2]
    assert float(subject(layer(), x=x, t=t).forward()[0]) == losses[2]


INTELS = [[0, 2, 7, 0.15, 0.2, 0.65, 0.9, 0], [-1] * 8, [1, 1, 0, 0.8, 0.5, 1.0, 0.9, 1], [0, 3, 0, 0.05, 0.05, 0.1, 0.1, 0]]


def intels_errors(x: torch.Tensor) -> torch.Tensor:
    """As `errors` with Intel's rules where they differ, from its rows."""
    items: list[list[list[float]]] = [[], []]
    for item, label, _, left, top, right, bottom, _ in INTELS:
        if item >= 0:
            items[int(item)].append([label - 1, (left + right) / 2, (top + bottom) / 2, right - left, bottom - top])
    found = errors(x, items, early=False, rescore=True)
    for n, rows in enumerate(items):
        for _, *place in rows:
            column, row = int(place[0] * WIDTH), int(place[1] * HEIGHT)
            alike = [iou((0, 0, a[0] / WIDTH, a[1] / HEIGHT), (0, 0, place[2], place[3])) for a in ANCHORS]
            a = alike.index(max(alike))
            first = a * (5 + CLASSES)
            for c in range(4):
                own = float(x[n, first + c, row, column])
                slope = sigmoid(own) * (1 - sigmoid(own)) if c < 2 else 1
                found[n, first + c, row, column] = max(-2 * slope, min(2 * slope, float(found[n, first + c, row, column])))
            score = sigmoid(float(x[n, first + 4, row, column]))
            found[n, first + 4, row, column] = -5 * 2 * (1 - score) ** 3 * score * (1 - score)
    return found


@pytest.mark.usefixtures("looked_at")
def test_intels_rows_name_their_items() -> None:
    """Of a batch of 2, whose loss is not divided by 2."""
    given = {"x": 2 * values(SHAPE), "t": torch.tensor(INTELS)[None, None]}
    wanted = intels_errors(given["x"])
    check_layer(layer(SCALES), no_gradcheck=UNLIKE, **given)
    torch.testing.assert_close(tops(layer(SCALES), **given)[0], wanted.square().sum())
    torch.testing.assert_close(gradients(layer(SCALES), [0.25], **given)[0], wanted / 2 * 0.25, rtol=1e-4, atol=1e-6)


def test_intels_class_map(tmp_path: Path) -> None:
    """The second class stands at the third place, and the first at the second."""
    (tmp_path / "map").write_text("1\n2\n")
    x = values((1, CHANNELS, HEIGHT, WIDTH))
    mapped, plain = (
        gradients(layer(fields), x=x, t=[[0, label, 0, 0.1, 0.1, 0.5, 0.5, 0]])
        for fields, label in ((f'class_map: "{tmp_path}/map"', 2), ("", 3))
    )
    torch.testing.assert_close(mapped, plain)
    for words in ("7", "-1", "", "a"):
        (tmp_path / "map").write_text(words)
        assert "needed: " in refusal(layer(f'class_map: "{tmp_path}/map"'), x=x, t=[[0] * 8])
    assert "class_map 'none' cannot be read" in refusal(layer('class_map: "none"'), x=x, t=[[0] * 8])


def test_refusals() -> None:
    x, t = (1, CHANNELS, HEIGHT, WIDTH), [[[0, 0.5, 0.5, 0.5, 0.5]]]
    assert "bottom 0 is (1, 15, 2, 3); needed: (N, 16, H, W), 2 boxes of 4 coordinates, 1 score and 3 classes" in refusal(
        layer(), x=(1, 15, HEIGHT, WIDTH), t=t
    )
    assert "bottom 1 is (1, 6); needed: (N, ..., 5)" in refusal(layer(), x=x, t=(1, 6))
    assert "bottom 0 is (1, 16, 2, 3) and bottom 1 (2, 5); needed: the same first dim" in refusal(layer(), x=x, t=(2, 5))
    assert "biases is given 3 times; needed: 4 numbers > 0" in refusal(layer(biases=[1, 1, 1]), x=x, t=t)
    assert "biases is given 4 times; needed: 4 numbers > 0" in refusal(layer(biases=[1, 1, 1, 0]), x=x, t=t)
    assert "coords is 5; needed: 4" in refusal(layer("coords: 5"), x=x, t=t)
    assert "num is 0 and num_class 3" in refusal(layer(number=0), x=x, t=t)
    assert "class 3 found; needed: 0 to 2" in refusal(layer(), x=x, t=[[[3, 0.5, 0.5, 0.5, 0.5]]])
    rows = [0, 1, 0, 0.1, 0.1, 0.5, 0.5, 0]
    assert "item 1 found in bottom 1; needed: 0 to 0, or -1 for none" in refusal(layer(), x=x, t=[[1, *rows[1:]]])
    assert "class 0 found; needed: 1 to 3" in refusal(layer(), x=x, t=[[0, 0, *rows[2:]]])
    assert "needed: classes without a tree" in refusal(layer('softmax_tree: "t"'), x=x, t=[rows])
    assert "box 1.5, 0.5, 0.5, 0.5 found; needed: x and y from 0 to 1" in refusal(layer(), x=x, t=[[[1, 1.5, 0.5, 0.5, 0.5]]])
