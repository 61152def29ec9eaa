"""Places of boxes and arrows."""

from __future__ import annotations

import itertools
import random

from hypothesis import given
from hypothesis import strategies as st

from caffepy.report.draw.layout import GAP, lay_out

SIZE = (100.0, 40.0)


def test_a_chain_is_straight() -> None:
    layout = lay_out([SIZE] * 4, [(0, 1), (1, 2), (2, 3)])
    assert {x for x, _ in layout.centers} == {50.0}
    assert [y for _, y in layout.centers] == sorted(y for _, y in layout.centers)
    assert layout.paths[0] == [(50.0, 40.0), (50.0, layout.centers[1][1] - 20)]
    assert (layout.width, layout.height) == (100.0, layout.centers[3][1] + 20)


def test_a_detour_passes_beside_the_boxes_between() -> None:
    layout = lay_out([SIZE] * 3, [(0, 1), (0, 2), (1, 2)])
    (x, top), (x2, bottom) = layout.paths[1][1:3]
    assert x == x2
    assert abs(x - layout.centers[1][0]) >= 50 + GAP / 2 - 1e-6
    assert (top, bottom) == (layout.centers[1][1] - 20, layout.centers[1][1] + 20)


def test_branches_do_not_cross() -> None:
    # 0 feeds 1 and 2; 3 reads 2, 4 reads 1: in the order given they would cross
    layout = lay_out([SIZE] * 5, [(0, 1), (0, 2), (2, 3), (1, 4)])
    assert (layout.centers[1][0] < layout.centers[2][0]) == (layout.centers[4][0] < layout.centers[3][0])


def test_a_source_stands_just_above_its_reader() -> None:
    layout = lay_out([SIZE] * 4, [(0, 1), (1, 3), (2, 3)])
    assert layout.centers[2][1] == layout.centers[1][1]


def test_sideways_swaps_the_axes() -> None:
    down = lay_out([(40.0, 100.0)] * 3, [(0, 1), (0, 2)])
    side = lay_out([(100.0, 40.0)] * 3, [(0, 1), (0, 2)], sideways=True)
    assert side.centers == [(y, x) for x, y in down.centers]
    assert (side.width, side.height) == (down.height, down.width)


def test_nothing() -> None:
    assert lay_out([], []).centers == []


@given(st.integers(2, 14), st.integers(0, 30), st.integers(0, 1000))
def test_boxes_never_overlap_and_arrows_go_down(boxes: int, arrows: int, seed: int) -> None:
    dice = random.Random(seed)
    sizes = [(dice.uniform(20, 200), dice.uniform(20, 60)) for _ in range(boxes)]
    pairs = sorted({tuple(sorted(dice.sample(range(boxes), 2))) for _ in range(arrows)}, key=lambda pair: pair[1])
    layout = lay_out(sizes, pairs)
    for (i, (x, y)), (j, (x2, y2)) in itertools.combinations(enumerate(layout.centers), 2):
        apart_x = abs(x - x2) - (sizes[i][0] + sizes[j][0]) / 2
        apart_y = abs(y - y2) - (sizes[i][1] + sizes[j][1]) / 2
        assert apart_x >= GAP - 1e-6 or apart_y >= 0
    for path in layout.paths:
        assert all(upper[1] <= lower[1] for upper, lower in itertools.pairwise(path))
    edges = [x - w / 2 for (x, _), (w, _) in zip(layout.centers, sizes, strict=True)]
    assert min(edges) >= -1e-6
    assert max(x + w / 2 for (x, _), (w, _) in zip(layout.centers, sizes, strict=True)) <= layout.width + 1e-6
