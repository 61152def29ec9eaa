"""Im2col."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import check_layer, refusal


def layer(fields: str) -> str:
    return f'layer {{ name: "l" type: "Im2col" bottom: "x" top: "y" convolution_param {{ {fields} }} }}'


@pytest.mark.parametrize(
    ("fields", "shape"),
    [
        ("kernel_size: 2", (2, 2, 3, 4)),
        ("kernel_size: 3 pad: 1 stride: 2", (1, 2, 4, 3)),
        ("kernel_size: 2 dilation: 2", (1, 2, 4, 3)),
        ("kernel_size: 2", (1, 2, 5)),
        ("kernel_size: 2", (1, 2, 2, 3, 2)),
        ("kernel_size: 2 axis: 2", (2, 2, 2, 3, 3)),
        ("kernel_size: 1", (1, 2, 3, 3)),
    ],
)
def test_layer(fields: str, shape: tuple[int, ...]) -> None:
    check_layer(layer(fields), x=shape)


def test_planes_are_laid_out_as_torch_unfolds_them() -> None:
    it = check_layer(layer("kernel_h: 2 kernel_w: 3 pad: 1 stride: 2"), x=(2, 2, 4, 5))
    (y,) = it.forward()
    torch.testing.assert_close(y.flatten(2), F.unfold(it.bottoms()[0], (2, 3), padding=1, stride=2))


def test_refusals() -> None:
    assert "bottom has no axis behind axis 1" in refusal(layer("kernel_size: 1"), x=(2, 3))
    assert "kernel reaches over 5 x 5" in refusal(layer("kernel_size: 5"), x=(1, 1, 3, 3))
