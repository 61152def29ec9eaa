"""Yolov3, MobileNet-YOLO's loss of one map."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops, values
from tests.layers.common.test_box_likeness import plain_ascent, plain_likeness

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


@dataclass(frozen=True)
class Steps:
    """What the fork does, one number after the other, with thresh 0.3, coord_scale 2, class_scale 3.

    ``most``: max_delta. iou_normalizer is 0.7.
    """

    iou_thresh: float = 0.5
    smooth: float = 0.1
    measure: str = "MSE"
    most: float = 10
    accumulate: bool = True
    focal: bool = False

    @property
    def fields(self) -> str:
        return (
            f"thresh: 0.3 coord_scale: 2 class_scale: 3 iou_thresh: {self.iou_thresh} label_smooth_eps: {self.smooth} "
            f"iou_loss: {self.measure} iou_normalizer: 0.7 max_delta: {self.most} accumulate: {str(self.accumulate).lower()} "
            f"use_focal_loss: {str(self.focal).lower()}"
        )

    def alike(self, a: Sequence[float], b: Sequence[float]) -> float:
        return plain_likeness(a, b, self.measure)

    def focused(self, sure: float, likely: float, *, own: bool) -> float:
        """The error of one class, where ``sure`` is the probability of the object's."""
        weight = -(1 - sure) * (2 * sure * math.log(sure) + sure - 1)
        return 3 * (likely - own) * 0.5 * weight


def errors(x: torch.Tensor, rows: Sequence[Sequence[Sequence[float]]], steps: Steps) -> tuple[torch.Tensor, list[float]]:
    """The errors, and with another iou_loss than MSE how unlike each learnt box is to its object."""
    found, amiss = torch.zeros_like(x), []
    length = 5 + CLASSES
    iou = steps.alike
    for n, item in enumerate(rows):

        def own(a: int, c: int, row: int, column: int, n: int = n) -> float:
            value = float(x[n, a * length + c, row, column])
            return value if c in (2, 3) else sigmoid(value)

        objects = [row for i, row in enumerate(item) if all(each[3] for each in item[: i + 1])]

        def box_of(a: int, row: int, column: int, own: Callable[[int, int, int, int], float] = own) -> Sequence[float]:
            sides = [math.exp(own(a, 2 + i, row, column)) * ANCHORS[MASK[a]][i] / (SCALE * (WIDTH, HEIGHT)[i]) for i in (0, 1)]
            return (column + own(a, 0, row, column)) / WIDTH, (row + own(a, 1, row, column)) / HEIGHT, *sides

        for a, row, column in ((a, i, j) for a in range(3) for i in range(HEIGHT) for j in range(WIDTH)):
            box = box_of(a, row, column)
            best = max((iou(box, each[1:]) for each in objects), default=0)
            found[n, a * length + 4, row, column] = 0 if best > 0.3 else own(a, 4, row, column)
        for kind, left, top, wide, high in objects:
            column, row = int(left * WIDTH), int(top * HEIGHT)
            alike = [iou((0, 0, w / (WIDTH * SCALE), h / (HEIGHT * SCALE)), (0, 0, wide, high)) for w, h in ANCHORS]
            best = alike.index(max(alike)) if max(alike) > 0 else -1
            learnt = [best] if best in MASK else []
            local = MASK.index(best) if learnt else best
            learnt += [k for k in MASK if steps.iou_thresh < 1 and k != local and alike[k] > steps.iou_thresh]
            for k in learnt:
                a = MASK.index(k)
                first = a * length
                target = (
                    left * WIDTH - column,
                    top * HEIGHT - row,
                    math.log(wide * WIDTH * SCALE / ANCHORS[k][0]),
                    math.log(high * HEIGHT * SCALE / ANCHORS[k][1]),
                )
                truth = (left, top, wide, high)
                if steps.measure != "MSE":
                    amiss.append(1 - plain_likeness(box_of(a, row, column), truth, "DIOU" if steps.measure == "IOU" else steps.measure))
                for c in range(4):
                    if steps.measure == "MSE":
                        found[n, first + c, row, column] = 2 * (2 - wide * high) * (own(a, c, row, column) - target[c])
                        continue
                    up = 0.7 * plain_ascent(box_of(a, row, column), truth, steps.measure)[c]
                    up *= math.exp(own(a, c, row, column)) if c > 1 else 1
                    before = found[n, first + c, row, column] if steps.accumulate else 0
                    found[n, first + c, row, column] = before - max(-steps.most, min(steps.most, up))
                found[n, first + 4, row, column] = own(a, 4, row, column) - 1
                again = bool(found[n, first + 5 + int(kind), row, column])
                for c in [int(kind)] if again else range(CLASSES):
                    wanted = float(c == kind) * (1 - steps.smooth) + 0.5 * steps.smooth
                    likely = own(a, 5 + c, row, column)
                    found[n, first + 5 + c, row, column] = 3 * (likely - wanted)
                    if steps.focal and not again:
                        sure = own(a, 5 + int(kind), row, column)
                        found[n, first + 5 + c, row, column] = steps.focused(sure, likely, own=c == kind)
    return found, amiss


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize(("iou_thresh", "smooth"), [(0.5, 0.1), (0.3, 0.0), (1.0, 0.1)])
def test_the_forks_steps(iou_thresh: float, smooth: float) -> None:
    steps = Steps(iou_thresh, smooth)
    x, t = values(SHAPE), torch.tensor(ROWS)
    wanted, _ = errors(x, ROWS, steps)
    torch.testing.assert_close(gradients(layer(steps.fields), x=x, t=t)[0], wanted / 2, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(tops(layer(steps.fields), x=x, t=t)[0], wanted.square().sum() / 2, atol=1e-4, rtol=1e-5)


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize(
    "steps",
    [
        *(Steps(measure=name) for name in ("IOU", "GIOU", "DIOU", "CIOU")),
        Steps(iou_thresh=0.3, measure="GIOU", accumulate=False),
        Steps(iou_thresh=0.3, measure="CIOU", most=0.2),
        Steps(measure="DIOU", focal=True),
    ],
)
def test_iou_losses(steps: Steps) -> None:
    x, t = values(SHAPE), torch.tensor(ROWS)
    wanted, amiss = errors(x, ROWS, steps)
    assert amiss
    torch.testing.assert_close(gradients(layer(steps.fields), x=x, t=t)[0], wanted / 2, atol=1e-5, rtol=1e-4)
    squares = wanted.view(2, 3, -1, HEIGHT, WIDTH)[:, :, 4:].square().sum()
    loss = (squares + 0.7 * sum(amiss) / len(amiss)) / 2
    torch.testing.assert_close(tops(layer(steps.fields), x=x, t=t)[0], loss, atol=1e-4, rtol=1e-5)


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize("smooth", [0.0, 0.1])
def test_the_focal_loss(smooth: float) -> None:
    """Two objects of the first item are learnt by one box: the second's class without the focus."""
    steps = Steps(iou_thresh=0.3, smooth=smooth, focal=True)
    x, t = values(SHAPE), torch.tensor(ROWS)
    wanted, _ = errors(x, ROWS, steps)
    plain, _ = errors(x, ROWS, replace(steps, focal=False))
    parts = (wanted != plain).view(2, 3, -1, HEIGHT, WIDTH)[:, :, 5:]
    assert parts.any()
    assert not parts.all(2)[parts.any(2)].all()
    torch.testing.assert_close(gradients(layer(steps.fields), x=x, t=t)[0], wanted / 2, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("fields", ["iou_loss: GIOU", "iou_loss: CIOU use_focal_loss: true"])
def test_no_object(fields: str) -> None:
    """Only the scores are off."""
    x, t = values(SHAPE), torch.zeros(2, 5, 5)
    scores = x.view(2, 3, -1, HEIGHT, WIDTH)[:, :, 4].sigmoid()
    torch.testing.assert_close(tops(layer(fields), x=x, t=t)[0], scores.square().sum() / 2)


def test_use_logic_gradient() -> None:
    fields = "thresh: 0.3 coord_scale: 2 class_scale: 3 use_logic_gradient: true"
    x, t = values(SHAPE), torch.tensor(ROWS)
    slopes = x.view(2, 3, -1, HEIGHT, WIDTH).sigmoid()
    slopes = slopes * (1 - slopes)
    slopes[:, :, 2:4] = 1
    wanted = errors(x, ROWS, Steps())[0] * slopes.view(SHAPE)
    torch.testing.assert_close(gradients(layer(fields), x=x, t=t)[0], wanted / 2, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("fields", ["", "use_logic_gradient: true object_scale: 5 iou_thresh: 0.3", "iou_loss: CIOU use_focal_loss: true"])
def test_layer(fields: str) -> None:
    check_layer(layer(fields), no_gradcheck=UNLIKE, x=SHAPE, t=torch.tensor(ROWS))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("num_class: 0", "num_class 0"),
    ],
)
def test_refusals(fields: str, said: str) -> None:
    text = layer(fields).replace(f"num_class: {CLASSES}", "") if "num_class" in fields else layer(fields)
    assert said in refusal(text, x=SHAPE, t=torch.tensor(ROWS))


def test_a_mask_beyond_the_anchors() -> None:
    assert "mask is [1, 2, 5]; needed: 3 numbers from 0 to 4" in refusal(layer(mask=(1, 2, 5)), x=SHAPE, t=torch.tensor(ROWS))
