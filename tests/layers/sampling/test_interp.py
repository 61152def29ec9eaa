"""Interp."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str) -> str:
    return f'layer {{ name: "l" type: "Interp" bottom: "x" top: "y" interp_param {{ {fields} }} }}'


@pytest.mark.parametrize(
    ("fields", "size"),
    [
        ("height: 5 width: 2", (5, 2)),
        ("zoom_factor: 2", (5, 7)),
        ("shrink_factor: 2", (2, 2)),
        ("shrink_factor: 2 zoom_factor: 3", (4, 4)),
        ("zoom_factor: 2 pad_beg: -1", (3, 5)),
        ("zoom_factor: 2 height: 9 width: 9", (5, 7)),
        ("zoom_factor: 2 shrink_factor: 2 height: 9 width: 8", (9, 8)),
        ("height: 1 width: 1 pad_end: -1", (1, 1)),
    ],
)
def test_layer(fields: str, size: tuple[int, int]) -> None:
    assert check_layer(layer(fields), x=(2, 2, 3, 4)).graph.values[-1].shape == (2, 2, *size)


def test_corners_stay_where_they_are() -> None:
    (y,) = tops(layer("zoom_factor: 2"), x=torch.tensor([[[[0.0, 4], [8, 12]]]]))
    assert y[0, 0].tolist() == [[0, 2, 4], [4, 6, 8], [8, 10, 12]]


def test_refusals() -> None:
    assert "no size is given" in refusal(layer("height: 3"), x=(1, 1, 3, 3))
    assert "they crop" in refusal(layer("zoom_factor: 2 pad_beg: 1"), x=(1, 1, 3, 3))
    assert "zoom_factor is 0" in refusal(layer("zoom_factor: 0"), x=(1, 1, 3, 3))
    assert "(3, 3) becomes (0, 0) cropped" in refusal(layer("height: 2 width: 2 pad_end: -3"), x=(1, 1, 3, 3))
