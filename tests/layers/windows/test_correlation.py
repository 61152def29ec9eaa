"""Correlation."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.layers.check import check_layer, gradients, refusal, subject, tops, values

SHAPE = (2, 3, 7, 6)
FIELDS = [
    "kernel_size: 1 max_displacement: 2 pad: 2",
    "kernel_size: 1 max_displacement: 2 pad: 2 stride_1: 2 stride_2: 2 do_abs: true",
    "kernel_size: 3 max_displacement: 1 pad: 1 stride_1: 2",
    "kernel_size: 3 max_displacement: 3 pad: 4 stride_1: 3 stride_2: 2",
]


def layer(fields: str) -> str:
    return f'layer {{ name: "l" type: "Correlation" bottom: "a" bottom: "b" top: "y" correlation_param {{ {fields} }} }}'


def patches(fields: str) -> tuple[int, int, list[tuple[int, int, int, int]], int]:
    """Padding, kernel size, and for each place of the top by rows the corners of the two patches, as the fork's kernel counts them."""
    said = {"pad": 0, "stride_1": 1, "stride_2": 1} | {
        name: int(value)
        for name, value in zip(fields.replace(":", "").split()[::2], fields.replace(":", "").split()[1::2])
        if value.isdigit()
    }
    pad, kernel, largest, step1, step2 = (said[k] for k in ("pad", "kernel_size", "max_displacement", "stride_1", "stride_2"))
    radius = largest // step2
    border = largest + (kernel - 1) // 2
    height, width = (-(-(n + 2 * pad - 2 * border) // step1) for n in SHAPE[2:])
    grid = 2 * radius + 1
    corners = []
    for channel in range(grid * grid):
        right, down = (channel % grid - radius) * step2, (channel // grid - radius) * step2
        for y in range(height):
            for x in range(width):
                y1, x1 = y * step1 + largest, x * step1 + largest
                corners.append((y1, x1, y1 + down, x1 + right))
    return pad, kernel, corners, height


def reference(fields: str, a: Tensor, b: Tensor) -> Tensor:
    pad, kernel, corners, _ = patches(fields)
    a, b = (torch.nn.functional.pad(x, (pad,) * 4) for x in (a, b))
    found = []
    for y1, x1, y2, x2 in corners:
        one, two = a[:, :, y1 : y1 + kernel, x1 : x1 + kernel], b[:, :, y2 : y2 + kernel, x2 : x2 + kernel]
        found.append(((one - two).abs() if "SUBTRACT" in fields else one * two).mean((1, 2, 3)))
    return torch.stack(found, 1)


@pytest.mark.parametrize("fields", FIELDS)
def test_layer(fields: str) -> None:
    check_layer(layer(fields), a=(1, 2, 5, 4), b=(1, 2, 5, 4))
    check_layer(layer(f"{fields} correlation_type: SUBTRACT"), no_gradcheck="it has other signs", a=(1, 2, 5, 4), b=(1, 2, 5, 4))


@pytest.mark.parametrize("fields", [*FIELDS, *(f"{fields} correlation_type: SUBTRACT" for fields in FIELDS)])
def test_values(fields: str) -> None:
    a, b = values(SHAPE), values(SHAPE, 1)
    (y,) = tops(layer(fields), a=a, b=b)
    torch.testing.assert_close(y.flatten(1), reference(fields, a, b))
    assert y.shape[2] == patches(fields)[3]


def test_the_signs_of_differences_are_those_of_other_places() -> None:
    fields = f"{FIELDS[2]} correlation_type: SUBTRACT"
    a, b, start = values(SHAPE), values(SHAPE, 1), values(tuple(tops(layer(fields), a=SHAPE, b=SHAPE)[0].shape), 2)
    pad, kernel, corners, _ = patches(fields)
    larger = np.where(np.pad(a.numpy(), [(0, 0)] * 2 + [(pad, pad)] * 2) >= np.pad(b.numpy(), [(0, 0)] * 2 + [(pad, pad)] * 2), 1.0, -1.0)
    wanted = [np.zeros_like(larger), np.zeros_like(larger)]
    for (y1, x1, y2, x2), diff in zip(corners, start.flatten(1).T.numpy(), strict=True):
        for j in range(kernel):
            for i in range(kernel):
                wanted[0][:, :, y1 + j, x1 + i] += diff[:, None] * larger[:, :, y2 + j, x2 + i]
                wanted[1][:, :, y2 + j, x2 + i] -= diff[:, None] * larger[:, :, y1 + j, x1 + i]
    for found, sums in zip(gradients(layer(fields), start, a=a, b=b), wanted, strict=True):
        inner = sums[:, :, pad:-pad, pad:-pad] / (kernel * kernel * SHAPE[1])
        torch.testing.assert_close(found, torch.from_numpy(inner).float(), atol=1e-5, rtol=1e-4)


def test_flownets_own_has_441_channels() -> None:
    it = subject(layer("pad: 20 kernel_size: 1 max_displacement: 20 stride_1: 1 stride_2: 2"), a=(1, 1, 3, 4), b=(1, 1, 3, 4))
    assert it.layer.reshape([(1, 256, 48, 64)] * 2) == ((1, 441, 48, 64),)
    assert it.layer.flops([(1, 256, 48, 64)] * 2, [(1, 441, 48, 64)]) == 2 * 441 * 48 * 64 * 256


def test_refusals() -> None:
    both = {"a": (1, 2, 5, 4), "b": (1, 2, 5, 4)}
    assert "kernel_size is not given" in refusal(layer("max_displacement: 1"), **both)
    assert "max_displacement is not given" in refusal(layer("kernel_size: 1"), **both)
    assert "kernel_size is 2; needed: an odd" in refusal(layer("kernel_size: 2 max_displacement: 1"), **both)
    assert "stride_2 is 0" in refusal(layer("kernel_size: 1 max_displacement: 1 stride_2: 0"), **both)
    assert "is too small" in refusal(layer("kernel_size: 1 max_displacement: 2"), **both)
    assert "equal shapes" in refusal(layer("kernel_size: 1 max_displacement: 1"), a=(1, 2, 5, 4), b=(1, 2, 4, 5))
    assert "bottom has 2 axes" in refusal(layer("kernel_size: 1 max_displacement: 1"), a=(1, 2), b=(1, 2))
