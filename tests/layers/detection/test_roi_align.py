"""ROIAlign, by both of its rules."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from tests.layers.check import check_layer, refusal, tops, values

REGIONS = torch.tensor([[0.0, 0, 0, 5, 4], [1, 1.3, 1.2, 3.1, 2.7], [0, 2, 2, 2.2, 2.1], [1, -7, -3, 9, 11], [0, 4, 3, 30, 20]])


def layer(fields: str) -> str:
    return f'layer {{ name: "l" type: "ROIAlign" bottom: "x" bottom: "r" top: "y" roi_align_param {{ {fields} }} }}'


def point(plane: np.ndarray, y: float, x: float) -> float:
    """The value between the pixels at one point; 0 if it is more than a pixel outside."""
    height, width = plane.shape
    if not (-1 <= y <= height and -1 <= x <= width):
        return 0.0
    y, x = (min(max(at, 0.0), size - 1) for at, size in ((y, height), (x, width)))
    row, column = min(int(y), max(height - 2, 0)), min(int(x), max(width - 2, 0))
    below, behind = min(row + 1, height - 1), min(column + 1, width - 1)
    down, right = y - row, x - column
    upper = plane[row, column] * (1 - right) + plane[row, behind] * right
    lower = plane[below, column] * (1 - right) + plane[below, behind] * right
    return float(upper * (1 - down) + lower * down)


def plain(x: np.ndarray, regions: np.ndarray, cells: tuple[int, int], scale: float, points: int, aligned: bool) -> np.ndarray:
    """As it is defined, point by point."""
    out = np.zeros((len(regions), x.shape[1], *cells))
    shift = 0.5 if aligned else 0.0
    for r, (picture, *corners) in enumerate(regions.astype(np.float64)):
        x1, y1, x2, y2 = (corner * scale - shift for corner in corners)
        least = 0.0 if aligned else 1.0
        high, wide = max(y2 - y1, least) / cells[0], max(x2 - x1, least) / cells[1]
        down, right = (points if points > 0 else math.ceil(length) for length in (high, wide))
        for c, i, j in np.ndindex(*out.shape[1:]):
            total = 0.0
            for m, n in np.ndindex(down, right):
                y, at = y1 + high * (i + (m + 0.5) / down), x1 + wide * (j + (n + 0.5) / right)
                total += point(x[int(picture), c], y, at)
            out[r, c, i, j] = total / max(down * right, 1)
    return out


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("points", [-1, 2])
@pytest.mark.parametrize(("cells", "scale"), [((2, 3), 1.0), ((1, 1), 0.5), ((3, 2), 0.7)])
def test_means_of_points(cells: tuple[int, int], scale: float, points: int, aligned: bool) -> None:
    fields = f"pooled_h: {cells[0]} pooled_w: {cells[1]} spatial_scale: {scale} sampling_ratio: {points} aligned: {str(aligned).lower()}"
    x = values((2, 2, 5, 6))
    (y,) = tops(layer(fields), x=x, r=REGIONS)
    wanted = plain(x.numpy(), REGIONS.numpy(), cells, scale, points, aligned)
    np.testing.assert_allclose(y.numpy(), wanted, atol=2e-5)


@pytest.mark.parametrize("fields", ["aligned: true", "aligned: false sampling_ratio: 2 spatial_scale: 0.5"])
def test_layer(fields: str) -> None:
    check_layer(layer(f"pooled_h: 2 pooled_w: 3 {fields}"), x=(2, 2, 5, 6), r=REGIONS)


def test_a_region_of_nothing_is_0_in_detectron2() -> None:
    (y,) = tops(layer("pooled_h: 2 pooled_w: 2 aligned: true"), x=torch.ones(1, 1, 3, 3), r=[[0, 2, 2, 1, 1]])
    assert y.abs().sum() == 0


def test_what_torchvision_computes() -> None:
    """Recorded from torchvision.ops.roi_align 0.21 on a ramp, whose values tell the places."""
    x = torch.arange(30.0).reshape(1, 1, 5, 6)
    regions = torch.tensor([[0.0, 0.5, 0.25, 4.5, 3.75], [0, 3, 2, 9, 7]])
    for aligned, recorded in RECORDED.items():
        (y,) = tops(layer(f"pooled_h: 2 pooled_w: 2 spatial_scale: 0.75 aligned: {aligned}"), x=x, r=regions)
        torch.testing.assert_close(y.flatten(), torch.tensor(recorded), atol=1e-4, rtol=0)


RECORDED = {
    "false": [6.1875, 7.6875, 14.0625, 15.5625, 18.0, 13.04167, 26.90625, 18.97917],
    "true": [2.6875, 4.1875, 10.5625, 12.0625, 14.5, 16.41667, 24.90625, 26.82292],
}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("pooled_h: 2 pooled_w: 2", "aligned is not given; needed: aligned: false"),
        ("pooled_h: 2 aligned: true", "pooled_w is 0; needed: at least 1"),
    ],
)
def test_refusals(fields: str, said: str) -> None:
    assert said in refusal(layer(fields), x=(1, 1, 3, 3), r=[[0, 0, 0, 1, 1]])


def test_a_picture_that_is_not_there() -> None:
    assert "is in picture 1; needed: 0 to 0" in refusal(layer("pooled_h: 1 pooled_w: 1 aligned: true"), x=(1, 1, 3, 3), r=[[1, 0, 0, 1, 1]])
