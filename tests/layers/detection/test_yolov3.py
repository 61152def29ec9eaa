"""Yolov3, MobileNet-YOLO's loss of one map."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops, values

ANCHORS = ((8.0, 10.0), (20.0, 12.0), (16.0, 30.0), (40.0, 44.0), (50.0, 20.0))
MASK = (1, 2, 3)
CLASSES, HEIGHT, WIDTH, SCALE = 3, 3, 4, 16
SHAPE = (2, len(MASK) * (5 + CLASSES), HEIGHT, WIDTH)
ROWS = [
    [[2, 0.4, 0.3, 0.5, 0.9], [0, 0.9, 0.99, 0.2, 0.3], [1, 0.41, 0.31, 0.5, 0.95], [0, 0.6, 0.6, 0.1, 0.15], [1, 0.1, 0.9, 0.7, 0.5]],
    [[1, 0.2, 0.7, 0.31, 0.25], [0] * 5, [0] * 5, [0] * 5, [1, 0.5, 0.5, 0.5, 0.5]],
]
UNLIKE = "its gradient is not that of its top"


def layer(fields: str = "", *, mask: Sequence[int] = MASK) -> str:
    each = " ".join(f"biases: {side}" for pair in ANCHORS for side in pair)
    own = " ".join(f"mask: {number}" for number in mask)
    return (
        'layer { name: "l" type: "Yolov3" bottom: "x" bottom: "t" top: "y" '
        f"yolov3_param {{ num: 3 num_class: {CLASSES} anchors_scale: {SCALE} {each} {own} {fields} }} }}"
    )


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def iou(a: Sequence[float], b: Sequence[float]) -> float:
    sides = [min(a[i] + a[i + 2] / 2, b[i] + b[i + 2] / 2) - max(a[i] - a[i + 2] / 2, b[i] - b[i + 2] / 2) for i in (0, 1)]
    common = 0 if min(sides) < 0 else sides[0] * sides[1]
    return common / (a[2] * a[3] + b[2] * b[3] - common)


def errors(x: torch.Tensor, rows: Sequence[Sequence[Sequence[float]]], *, iou_thresh: float, smooth: float) -> torch.Tensor:
    """What the fork does, one number after the other, with thresh 0.3, coord_scale 2, class_scale 3."""
    found = torch.zeros_like(x)
    length = 5 + CLASSES
    for n, item in enumerate(rows):

        def own(a: int, c: int, row: int, column: int, n: int = n) -> float:
            value = float(x[n, a * length + c, row, column])
            return value if c in (2, 3) else sigmoid(value)

        objects = [row for i, row in enumerate(item) if all(each[3] for each in item[: i + 1])]
        for a, row, column in ((a, i, j) for a in range(3) for i in range(HEIGHT) for j in range(WIDTH)):
            sides = [math.exp(own(a, 2 + i, row, column)) * ANCHORS[MASK[a]][i] / (SCALE * (WIDTH, HEIGHT)[i]) for i in (0, 1)]
            box = ((column + own(a, 0, row, column)) / WIDTH, (row + own(a, 1, row, column)) / HEIGHT, *sides)
            best = max((iou(box, each[1:]) for each in objects), default=0)
            found[n, a * length + 4, row, column] = 0 if best > 0.3 else own(a, 4, row, column)
        for kind, left, top, wide, high in objects:
            column, row = int(left * WIDTH), int(top * HEIGHT)
            alike = [iou((0, 0, w / (WIDTH * SCALE), h / (HEIGHT * SCALE)), (0, 0, wide, high)) for w, h in ANCHORS]
            best = alike.index(max(alike))
            learnt = [best] if best in MASK else []
            local = MASK.index(best) if learnt else best
            learnt += [k for k in MASK if iou_thresh < 1 and k != local and alike[k] > iou_thresh]
            for k in learnt:
                a = MASK.index(k)
                first = a * length
                target = (
                    left * WIDTH - column,
                    top * HEIGHT - row,
                    math.log(wide * WIDTH * SCALE / ANCHORS[k][0]),
                    math.log(high * HEIGHT * SCALE / ANCHORS[k][1]),
                )
                for c in range(4):
                    found[n, first + c, row, column] = 2 * (2 - wide * high) * (own(a, c, row, column) - target[c])
                found[n, first + 4, row, column] = own(a, 4, row, column) - 1
                again = bool(found[n, first + 5 + int(kind), row, column])
                for c in [int(kind)] if again else range(CLASSES):
                    wanted = float(c == kind) * (1 - smooth) + 0.5 * smooth
                    found[n, first + 5 + c, row, column] = 3 * (own(a, 5 + c, row, column) - wanted)
    return found


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize(("iou_thresh", "smooth"), [(0.5, 0.1), (0.3, 0.0), (1.0, 0.1)])
def test_the_forks_steps(iou_thresh: float, smooth: float) -> None:
    fields = f"thresh: 0.3 coord_scale: 2 class_scale: 3 iou_thresh: {iou_thresh} label_smooth_eps: {smooth}"
    x, t = values(SHAPE), torch.tensor(ROWS)
    wanted = errors(x, ROWS, iou_thresh=iou_thresh, smooth=smooth)
    torch.testing.assert_close(gradients(layer(fields), x=x, t=t)[0], wanted / 2, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(tops(layer(fields), x=x, t=t)[0], wanted.square().sum() / 2, atol=1e-4, rtol=1e-5)


def test_use_logic_gradient() -> None:
    fields = "thresh: 0.3 coord_scale: 2 class_scale: 3 use_logic_gradient: true"
    x, t = values(SHAPE), torch.tensor(ROWS)
    slopes = x.view(2, 3, -1, HEIGHT, WIDTH).sigmoid()
    slopes = slopes * (1 - slopes)
    slopes[:, :, 2:4] = 1
    wanted = errors(x, ROWS, iou_thresh=0.5, smooth=0.1) * slopes.view(SHAPE)
    torch.testing.assert_close(gradients(layer(fields), x=x, t=t)[0], wanted / 2, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("fields", ["", "use_logic_gradient: true object_scale: 5 iou_thresh: 0.3"])
def test_layer(fields: str) -> None:
    check_layer(layer(fields), no_gradcheck=UNLIKE, x=SHAPE, t=torch.tensor(ROWS))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("iou_loss: GIOU", "iou_loss is GIOU, which only eric612/MobileNet-YOLO computes; needed: iou_loss: MSE"),
        ("use_focal_loss: true", "needed: use_focal_loss: false"),
        ("num_class: 0", "num_class 0"),
    ],
)
def test_refusals(fields: str, said: str) -> None:
    text = layer(fields).replace(f"num_class: {CLASSES}", "") if "num_class" in fields else layer(fields)
    assert said in refusal(text, x=SHAPE, t=torch.tensor(ROWS))


def test_a_mask_beyond_the_anchors() -> None:
    assert "mask is [1, 2, 5]; needed: 3 numbers from 0 to 4" in refusal(layer(mask=(1, 2, 5)), x=SHAPE, t=torch.tensor(ROWS))
