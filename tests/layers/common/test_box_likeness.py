"""How alike boxes are: IOU and what was made of it, beside a plain loop with differences for slopes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest
import torch

from caffepy.layers.common.box_likeness import ascent, likeness

NAMES = ("IOU", "GIOU", "DIOU", "CIOU")
Box = Sequence[float]
Edges = tuple[float, float, float, float]


def edges(box: Box) -> Edges:
    """Left, top, right, bottom."""
    x, y, wide, high = box
    return x - wide / 2, y - high / 2, x + wide / 2, y + high / 2


def areas(a: Edges, b: Edges) -> tuple[float, float, float]:
    """Common part, with the sign of a product of two gaps, union, enclosing box."""
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    common = wide * high
    each = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    over = (max(a[2], b[2]) - min(a[0], b[0])) * (max(a[3], b[3]) - min(a[1], b[1]))
    return common, sum(each) - common, over


def meet(a: Edges, b: Edges) -> bool:
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def distance(a: Box, b: Box) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def diagonal(a: Edges, b: Edges) -> float:
    return (max(a[2], b[2]) - min(a[0], b[0])) ** 2 + (max(a[3], b[3]) - min(a[1], b[1])) ** 2


def unlike(a: Box, b: Box) -> float:
    return 4 / math.pi**2 * (math.atan(b[2] / b[3]) - math.atan(a[2] / a[3])) ** 2


def plain_likeness(a: Box, b: Box, name: str) -> float:
    """The measure as the papers have it, but for DIOU's power, which is the fork's."""
    ends = edges(a), edges(b)
    common, union, over = areas(*ends)
    if not meet(*ends):
        common, union = 0, a[2] * a[3] + b[2] * b[3]
    iou = common / union
    apart = distance(a, b) / diagonal(*ends)
    v = unlike(a, b)
    less = {
        "GIOU": (over - union) / over,
        "DIOU": apart**0.6,
        "CIOU": apart + v * v / (1 - iou + v + 1e-6),
    }
    return iou - less.get(name, 0)


def slope(of: Callable[[Box], float], at: Box, i: int) -> float:
    """The derivative by number ``i``, from differences."""
    step = 1e-6
    up, down = list(at), list(at)
    up[i] += step
    down[i] -= step
    return (of(up) - of(down)) / (2 * step)


def plain_ascent(a: Box, b: Box, name: str) -> list[float]:
    """The fork's step: slopes by the edges, then what the measure takes off."""
    own, other = edges(a), edges(b)

    def share(at: Box) -> float:
        common, union, over = areas((at[0], at[1], at[2], at[3]), other)
        lap = common / union if meet(own, other) or name not in NAMES[1:] else 0
        return lap + (union / over if name == "GIOU" else 0)

    left, top, right, bottom = (slope(share, own, i) for i in range(4))
    found = [left + right, top + bottom, right - left, bottom - top]
    if name in ("DIOU", "CIOU"):
        far, across = distance(a, b), diagonal(own, other)
        for i in range(4):
            far_by = slope(lambda box: distance(box, b), a, i)
            across_by = slope(lambda box: diagonal(edges(box), other), a, i)
            found[i] -= far_by / across
            found[i] += (-1 if i < 2 else 1) * across_by * far / across**2
    if name == "CIOU":
        common, union, _ = areas(own, other)
        v = unlike(a, b)
        alpha = v / (1 - common / union + v + 1e-6)
        turn = 8 / math.pi**2 * alpha * (math.atan(b[2] / b[3]) - math.atan(a[2] / a[3]))
        found[2] += turn * a[3]
        found[3] -= turn * a[2]
    return found


def boxes(count: int) -> torch.Tensor:
    """Pairs that meet, lie in each other, or have gaps in one direction or both."""
    generator = torch.Generator().manual_seed(3)
    return torch.rand(count, 2, 4, generator=generator, dtype=torch.float64) * torch.tensor([1, 1, 0.7, 0.7]) + torch.tensor(
        [0, 0, 0.05, 0.05]
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_plain_loop(name: str) -> None:
    pairs = boxes(60)
    kinds = {meet(edges(a), edges(b)) for a, b in pairs.tolist()}
    assert kinds == {True, False}
    wanted = [plain_likeness(a, b, name) for a, b in pairs.tolist()]
    found = likeness(pairs[:, 0], pairs[:, 1], name)
    torch.testing.assert_close(found, torch.tensor(wanted, dtype=torch.float64))
    steps = torch.tensor([plain_ascent(a, b, name) for a, b in pairs.tolist()], dtype=torch.float64)
    torch.testing.assert_close(ascent(pairs[:, 0], pairs[:, 1], name), steps, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_a_box_is_like_itself(name: str) -> None:
    box = torch.tensor([0.3, 0.4, 0.2, 0.1])
    torch.testing.assert_close(likeness(box, box, name), torch.tensor(1.0), atol=1e-6, rtol=0)


def test_values_worked_out_by_hand() -> None:
    """Unit squares with a gap of one between: the enclosing box is 3 x 1."""
    a, b = torch.tensor([0.5, 0.5, 1, 1]), torch.tensor([2.5, 0.5, 1, 1])
    assert float(likeness(a, b, "GIOU")) == pytest.approx(-1 / 3)
    assert float(likeness(a, b, "DIOU")) == pytest.approx(-(0.4**0.6))
    assert float(likeness(a, b, "CIOU")) == pytest.approx(-0.4)
