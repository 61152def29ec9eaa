"""Downsample."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.layers.check import check_layer, refusal, tops, values


def layer(fields: str, second: str = "") -> str:
    return f'layer {{ name: "l" type: "Downsample" bottom: "x" {second} top: "y" downsample_param {{ {fields} }} }}'


def reference(image: Tensor, height: int, width: int) -> Tensor:
    old_height, old_width = image.shape[2:]
    sx, sy = (old_width - 1) / (width - 1), (old_height - 1) / (height - 1)
    top = np.zeros((*image.shape[:2], height, width), np.float32)
    for n, c, oy, ox in np.ndindex(*top.shape):
        x, y = ox * sx, oy * sy
        value = weight = lost = 0.0
        for i in range(math.floor(y + 0.5) - math.ceil(sy), math.floor(y + 0.5) + math.ceil(sy) + 1):
            for j in range(math.floor(x + 0.5) - math.ceil(sx), math.floor(x + 0.5) + math.ceil(sx) + 1):
                if 0 <= i < old_height and 0 <= j < old_width:
                    near, sample = max(0.0, 1 - abs(j - x) / sx) * max(0.0, 1 - abs(i - y) / sy), float(image[n, c, i, j])
                    if math.isnan(sample):
                        lost += near
                    else:
                        value, weight = value + near * sample, weight + near
        top[n, c, oy, ox] = math.nan if weight == 0 or lost / weight > 0.5 else value / weight
    return torch.from_numpy(top)


@pytest.mark.parametrize("size", [(3, 4), (5, 2), (9, 12), (4, 7)])
def test_values(size: tuple[int, int]) -> None:
    x = values((2, 2, 8, 7))
    fields = f"top_height: {size[0]} top_width: {size[1]}"
    torch.testing.assert_close(tops(layer(fields), x=x)[0], reference(x, *size), atol=1e-4, rtol=1e-4)
    x[0, 1, 2:5, :4] = math.nan
    x[1, 0, 7, 6] = math.nan
    (y,) = tops(layer(fields), x=x)
    torch.testing.assert_close(y, reference(x, *size), atol=1e-4, rtol=1e-4, equal_nan=True)
    assert y.isnan().any()
    assert y[0, 0].isfinite().all()


def test_layer() -> None:
    check_layer(layer("top_height: 3 top_width: 2"), x=(2, 3, 8, 7))
    it = check_layer(layer("", 'bottom: "size"'), x=(2, 3, 8, 7), size=(1, 1, 4, 3))
    assert it.forward()[0].shape == (2, 3, 4, 3)
    assert not it.layer.gradients.backward


def test_the_same_size_is_a_copy() -> None:
    it = check_layer(layer("top_height: 1 top_width: 7"), x=(2, 3, 1, 7))
    assert torch.equal(it.forward()[0], it.bottoms()[0])


def test_refusals() -> None:
    assert "becomes (1, 2); needed: at least 2" in refusal(layer("top_height: 1 top_width: 2"), x=(1, 1, 4, 4))
    assert "becomes (0, 2); needed: at least 1" in refusal(layer("top_width: 2"), x=(1, 1, 4, 4))
