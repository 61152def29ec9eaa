"""ROIPooling."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops, values

REGIONS = torch.tensor([[0.0, 0, 0, 5, 4], [1, 1, 1, 3, 2], [0, 2, 2, 2, 2], [1, -3, -3, 9, 9]])


def layer(fields: str = "pooled_h: 2 pooled_w: 3") -> str:
    return f'layer {{ name: "l" type: "ROIPooling" bottom: "x" bottom: "r" top: "y" roi_pooling_param {{ {fields} }} }}'


@pytest.mark.parametrize("fields", ["pooled_h: 2 pooled_w: 3", "pooled_h: 1 pooled_w: 1 spatial_scale: 0.5"])
def test_layer(fields: str) -> None:
    check_layer(layer(fields), x=(2, 2, 5, 6), r=REGIONS)


@pytest.mark.parametrize("shape", [(4, 5, 1, 1), (4, 1, 1, 5)])
def test_regions_with_ones(shape: tuple[int, ...]) -> None:
    check_layer(layer(), x=(2, 2, 5, 6), r=REGIONS.reshape(shape))


def test_cells() -> None:
    x = values((2, 2, 5, 6))
    (y,) = tops(layer(), x=x, r=REGIONS)
    assert torch.equal(y[0, :, 0, 0], x[0, :, :3, :2].amax((1, 2)))
    assert torch.equal(y[0, :, 1, 2], x[0, :, 2:5, 4:6].amax((1, 2)))
    assert torch.equal(y[1, :, 0, 1], x[1, :, 1, 2])
    assert torch.equal(y[2], x[0, :, 2, 2].reshape(2, 1, 1).expand(2, 2, 3))


def test_edges_are_rounded_half_away_from_0() -> None:
    x = torch.arange(8.0).reshape(1, 1, 1, 8)
    regions = torch.tensor([[0.0, 3, 0, 3, 0], [0, 5, 0, 5, 0]])
    assert tops(layer("pooled_h: 1 pooled_w: 1 spatial_scale: 0.5"), x=x, r=regions)[0].flatten().tolist() == [2, 3]


def test_an_empty_cell_gives_0_and_no_gradient() -> None:
    x = -torch.ones(1, 1, 2, 2)
    regions = torch.tensor([[0.0, 5, 5, 6, 6]])
    text = layer("pooled_h: 1 pooled_w: 1")
    assert tops(text, x=x, r=regions)[0] == 0
    assert gradients(text, x=x, r=regions)[0].abs().sum() == 0


@pytest.mark.parametrize("edge", [math.nan, math.inf, -math.inf, 1e20])
def test_a_region_whose_edges_are_no_integers_is_empty(edge: float) -> None:
    regions = [[0, edge, 0, 2, 2], [0, 0, 0, edge, 2], [0, 0, 0, 2, 2]]
    pooled = tops(layer("pooled_h: 1 pooled_w: 1"), x=-torch.ones(1, 1, 3, 3), r=regions)[0]
    assert pooled.flatten().tolist() == [0, 0, -1]


def test_of_equal_maxima_the_first_in_row_order_gets_the_gradient() -> None:
    x = torch.tensor([[0.0, 7, 0], [7, 0, 7]]).reshape(1, 1, 2, 3)
    dx = gradients(layer("pooled_h: 1 pooled_w: 1"), x=x, r=[[0, 0, 0, 2, 1]])[0]
    assert dx.flatten().tolist() == [0, 1, 0, 0, 0, 0]


def test_a_region_that_ends_before_it_starts_hands_no_gradient_on() -> None:
    x, text = values((1, 1, 3, 3)), layer("pooled_h: 1 pooled_w: 1")
    assert tops(text, x=x, r=[[0, 2, 2, 1, 1]])[0] == x[0, 0, 2, 2]
    assert gradients(text, x=x, r=[[0, 2, 2, 1, 1]])[0].abs().sum() == 0


@pytest.mark.parametrize(("rows", "last", "learns"), [(29, 28, True), (57, 57, False)])
def test_cells_end_where_float32_lets_them(rows: int, last: int, learns: bool) -> None:
    """7 * (29 / 7) is 29 there and more in double; 7 * (57 / 7) is more than 57 there. What lies behind the region gets no gradient."""
    x, text = torch.arange(60.0).reshape(1, 1, 60, 1), layer("pooled_h: 7 pooled_w: 1")
    region = [[0, 0, 0, 0, rows - 1]]
    assert tops(text, x=x, r=region)[0].flatten()[-1] == last
    gradient = gradients(text, x=x, r=region)[0].flatten()
    assert gradient[last] == float(learns)
    assert gradient.sum() == 6 + learns


def test_edges_that_are_equal_once_rounded_make_a_region_of_one() -> None:
    x, text = values((1, 1, 3, 3)), layer("pooled_h: 1 pooled_w: 1")
    assert gradients(text, x=x, r=[[0, 1.4, 1.4, 1.3, 1.3]])[0].flatten().tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]


def plain(x: torch.Tensor, regions: torch.Tensor, cells: tuple[int, int], scale: float) -> tuple[torch.Tensor, torch.Tensor]:
    """As it is defined, place by place: the maxima and, for tops of 1, the gradient."""
    (height, width), least = x.shape[2:], -float(np.finfo(np.float32).max)
    y, dx = torch.zeros(len(regions), x.shape[1], *cells), torch.zeros_like(x)
    for r, c, i, j in np.ndindex(*y.shape):
        picture, *edges = regions[r].tolist()
        x1, y1, x2, y2 = (int(math.copysign(math.floor(abs(e * scale) + 0.5), e)) for e in edges)
        high, wide = (np.float32(max(end - start + 1, 1)) / np.float32(n) for start, end, n in ((y1, y2, cells[0]), (x1, x2, cells[1])))
        rows = range(*(min(max(int(f(np.float32(k) * high)) + y1, 0), height) for f, k in ((math.floor, i), (math.ceil, i + 1))))
        columns = range(*(min(max(int(f(np.float32(k) * wide)) + x1, 0), width) for f, k in ((math.floor, j), (math.ceil, j + 1))))
        places = [(row, column) for row in rows for column in columns if x[int(picture), c, row, column] > least]
        if not places:
            y[r, c, i, j] = least if len(rows) and len(columns) else 0
            continue
        row, column = max(places, key=lambda place: float(x[int(picture), c, place[0], place[1]]))  # the first of equal ones
        y[r, c, i, j] = x[int(picture), c, row, column]
        dx[int(picture), c, row, column] += row <= y2 and column <= x2
    return y, dx


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize("size", [(1, 1), (7, 4), (9, 17)])
def test_any_regions(size: tuple[int, int]) -> None:
    """Few values, so that maxima are equal, zeros of both signs, and numbers that are none."""
    generator = torch.Generator().manual_seed(sum(size))
    x = torch.randint(-2, 2, (2, 2, *size), generator=generator) * torch.tensor([1.0, 0.5]).view(1, 2, 1, 1)
    x[0, 1, 0, 0], x[1, 0, -1, -1], x[1, 1] = math.nan, -math.inf, -math.inf
    edges = torch.rand(24, 2, 2, generator=generator) * 2 * torch.tensor([size[1], size[0]]) - 2
    regions = torch.cat((torch.randint(0, 2, (24, 1), generator=generator), edges.sort(1).values.flatten(1)), 1)
    regions[:3] = regions[:3, [0, 3, 4, 1, 2]]  # their ends come before their starts
    text = layer("pooled_h: 3 pooled_w: 2 spatial_scale: 0.75")
    y, dx = plain(x, regions, (3, 2), 0.75)
    torch.testing.assert_close(tops(text, x=x, r=regions)[0], y, rtol=0, atol=0)
    torch.testing.assert_close(gradients(text, x=x, r=regions)[0], dx, rtol=0, atol=0)


def test_no_region_at_all() -> None:
    assert tops(layer(), x=(1, 2, 3, 3), r=torch.zeros(0, 5))[0].shape == (0, 2, 2, 3)


def test_refusals() -> None:
    assert "region 0 is in picture 2; needed: 0 to 1" in refusal(layer(), x=(2, 1, 3, 3), r=[[2, 0, 0, 1, 1]])
    assert "pooled_h is 0" in refusal(layer("pooled_w: 2"), x=(2, 1, 3, 3), r=(1, 5))
    assert "bottom 1 is (1, 4)" in refusal(layer(), x=(2, 1, 3, 3), r=(1, 4))
    assert "bottom 0 has 3 axes" in refusal(layer(), x=(2, 3, 3), r=(1, 5))
