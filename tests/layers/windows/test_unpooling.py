"""Unpooling."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import check_layer, gradients, refusal, tops, values

MASK = torch.tensor([[[[0, 3], [9, 14]], [[5, 2], [8, 15]]]])
ONE = 'bottom: "x"'
NO_MASK = "no gradient goes to the mask"


def layer(fields: str = "", bottoms: str = 'bottom: "x" bottom: "m"') -> str:
    return f'layer {{ name: "l" type: "Unpooling" {bottoms} top: "y" unpooling_param {{ {fields} }} }}'


@pytest.mark.parametrize(
    "fields",
    [
        "unpool: MAX kernel_size: 2 stride: 2 unpool_size: 4",
        "kernel_h: 2 kernel_w: 2 stride_h: 2 stride_w: 2 unpool_h: 4 unpool_w: 4",
        "kernel_size: 2 stride: 2",
        "kernel_size: 4 stride: 2 pad: 1",
        "output_h: 4 output_w: 4",
        "scale: 2",
    ],
)
def test_mask(fields: str) -> None:
    it = check_layer(layer(fields), no_gradcheck=NO_MASK, x=(1, 2, 2, 2), m=MASK)
    (y,) = it.forward()
    assert y.shape == (1, 2, 4, 4)
    assert torch.equal(y.flatten(2).gather(2, MASK.flatten(2)).flatten(), it.bottoms()[0].flatten())
    assert (y != 0).sum() == 8


def test_max_pooling_is_undone() -> None:
    x = values((2, 3, 5, 7))
    pooled, mask = F.max_pool2d(x, 3, 2, return_indices=True)
    assert torch.equal(tops(layer("kernel_size: 3 unpool_h: 5 unpool_w: 7"), x=pooled, m=mask)[0], F.max_unpool2d(pooled, mask, 3, 2))


def test_without_a_mask_values_stand_first_in_their_windows() -> None:
    it = check_layer(layer("kernel_size: 2 stride_h: 2 stride_w: 3 unpool_h: 5 unpool_w: 6", ONE), x=(2, 3, 3, 2))
    (y,), (x,) = it.forward(), it.bottoms()
    assert torch.equal(y[:, :, ::2, ::3], x)
    assert (y != 0).sum() == x.numel()


def test_values_of_windows_beyond_the_planes_stand_at_their_edge() -> None:
    """The last of several; each reads the gradient there, as in DeconvNet."""
    it = check_layer(layer("kernel_size: 2 stride: 2 unpool_size: 3", ONE), no_gradcheck="values overwrite others", x=(1, 2, 3, 3))
    (y,), (x,) = it.forward(), it.bottoms()
    assert torch.equal(y[:, :, ::2, ::2], x[:, :, [0, 2]][:, :, :, [0, 2]])
    dy = values((1, 2, 3, 3), seed=1)
    (dx,) = gradients(layer("kernel_size: 2 stride: 2 unpool_size: 3", ONE), dy, x=x)
    assert torch.equal(dx, dy[:, :, [0, 2, 2]][:, :, :, [0, 2, 2]])


@pytest.mark.parametrize("size", [5, 6, 7, 8])
@pytest.mark.parametrize("method", ["AVE", "TILE"])
def test_values_all_over_their_windows(method: str, size: int) -> None:
    """Of 3 x 3 windows of 3 x 2 pixels, every 2 pixels, which overlap, or are cut, or lie beyond the planes."""
    fields = f"unpool: {method} kernel_h: 3 kernel_w: 2 stride: 2 unpool_size: {size - 2}"
    why = "" if method == "AVE" else "the gradient of TILE is a mean"
    it = check_layer(layer(fields, ONE), no_gradcheck=why, x=(2, 3, 3, 3))
    (x,), dy = it.bottoms(), values((2, 3, size - 2, size - 2), seed=1)
    y, dx = torch.zeros_like(dy), torch.zeros_like(x)
    for row, column in ((row, column) for row in range(3) for column in range(3)):
        window = (..., slice(2 * row, 2 * row + 3), slice(2 * column, 2 * column + 2))
        pixels = max(1, y[window][0, 0].numel())
        y[window] += x[..., row, column, None, None] / (pixels if method == "AVE" else 1)
        dx[..., row, column] = dy[window].sum((2, 3)) / pixels
    torch.testing.assert_close(it.forward()[0], y)
    torch.testing.assert_close(gradients(layer(fields, ONE), dy, x=x)[0], dx)


def test_refusals() -> None:
    for fields in ("", "unpool_size: 4 scale: 2", "unpool_size: 4 output_h: 4 output_w: 4"):
        assert "needed: one of unpool_size, output_h with output_w, scale" in refusal(layer(fields), x=(1, 1, 2, 2), m=(1, 1, 2, 2))
    assert "needed: unpool_size, or unpool_h and unpool_w" in refusal(layer("unpool_h: 4"), x=(1, 1, 2, 2), m=(1, 1, 2, 2))
    assert "needed: both output_h and output_w" in refusal(layer("output_w: 4"), x=(1, 1, 2, 2), m=(1, 1, 2, 2))
    assert "pad is (1, 1); needed: pad 0" in refusal(layer("kernel_size: 2 pad: 1 unpool_size: 4"), x=(1, 1, 2, 2), m=(1, 1, 2, 2))
    assert "stride is (0, 0)" in refusal(layer("kernel_size: 2 stride: 0 unpool_size: 4"), x=(1, 1, 2, 2), m=(1, 1, 2, 2))
    assert "needed: equal shapes" in refusal(layer("scale: 2"), x=(1, 1, 2, 2), m=(1, 1, 2, 1))
    assert "bottom has 3 axes" in refusal(layer("scale: 2"), x=(1, 2, 2), m=(1, 2, 2))
    assert "the top's planes are (0, 0)" in refusal(layer("scale: 0"), x=(1, 1, 2, 2), m=(1, 1, 2, 2))
    for fields, said in (("unpool_size: 4", "beside unpool_size"), ("unpool: AVE output_h: 4 output_w: 4", "for AVE and TILE")):
        assert f"kernel_size is (0, 0); needed: at least 1 in each axis{'' if 'beside' in said else ','} {said}" in refusal(
            layer(fields, ONE), x=(1, 1, 2, 2)
        )
    assert "index 9 found; needed: 0 to 8" in refusal(layer("kernel_size: 2 unpool_size: 3"), x=(1, 1, 1, 1), m=torch.tensor([[[[9]]]]))
