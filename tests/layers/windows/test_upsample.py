"""Upsample."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import check_layer, gradients, refusal, tops, values

MASK = torch.tensor([[[[0, 3], [9, 14]], [[5, 2], [8, 15]]]])


def layer(fields: str = "", bottoms: str = 'bottom: "x" bottom: "m"') -> str:
    return f'layer {{ name: "l" type: "Upsample" {bottoms} top: "y" upsample_param {{ {fields} }} }}'


ONE = 'bottom: "x"'
NO_MASK = "no gradient goes to the mask"


@pytest.mark.parametrize("fields", ["", "scale_h: 2 scale_w: 2", "upsample_h: 4 upsample_w: 4", "upsample_h: 5 upsample_w: 4 scale_h: 2"])
def test_mask(fields: str) -> None:
    it = check_layer(layer(fields), no_gradcheck=NO_MASK, x=(1, 2, 2, 2), m=MASK)
    (y,) = it.forward()
    assert torch.equal(y.flatten(2).gather(2, MASK.flatten(2)).flatten(), it.bottoms()[0].flatten())
    assert (y != 0).sum() == 8


def test_padding_is_trimmed() -> None:
    (y,) = tops(layer("pad_out_h: true pad_out_w: true"), x=(1, 2, 2, 2), m=MASK.clamp(max=8))
    assert y.shape == (1, 2, 3, 3)


def test_max_pooling_is_undone() -> None:
    x = values((2, 3, 4, 6))
    pooled, mask = F.max_pool2d(x, 2, return_indices=True)
    assert torch.equal(tops(layer(), x=pooled, m=mask)[0], F.max_unpool2d(pooled, mask, 2))


def test_of_values_with_one_place_the_last_stays_and_each_reads_the_gradient() -> None:
    x, m = torch.tensor([1.0, 2]).reshape(1, 1, 1, 2), torch.tensor([3, 3]).reshape(1, 1, 1, 2)
    assert tops(layer(), x=x, m=m)[0].flatten()[3] == 2
    assert gradients(layer(), torch.arange(8.0), x=x, m=m)[0].flatten().tolist() == [3, 3]


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_without_a_mask_pixels_are_repeated(scale: int) -> None:
    it = check_layer(layer(f"scale: {scale}", ONE), x=(2, 2, 2, 3))
    torch.testing.assert_close(it.forward()[0], F.interpolate(it.bottoms()[0], scale_factor=scale))


def test_without_a_mask_and_a_scale_nothing_grows() -> None:
    assert tops(layer("", ONE), x=(1, 1, 2, 3))[0].shape == (1, 1, 2, 3)


def test_refusals() -> None:
    assert "index 16 found; needed: 0 to 15" in refusal(layer(), x=(1, 1, 2, 2), m=torch.tensor([[[[0, 1], [2, 16]]]]))
    assert "index -1 found" in refusal(layer(), x=(1, 1, 2, 2), m=torch.tensor([[[[0, 1], [2, -1]]]]))
    assert "needed: upsample_h and upsample_w, or scale" in refusal(layer("scale: 2 scale_h: 2"), x=(1, 1, 2, 2), m=(1, 1, 2, 2))
    assert "needed: upsample_h and upsample_w" in refusal(layer("upsample_h: 2"), x=(1, 1, 2, 2), m=(1, 1, 2, 2))
    for fields in ("scale: 1", "upsample_h: 1 upsample_w: 4"):
        assert "needed: at least 2" in refusal(layer(fields), x=(1, 1, 2, 2), m=(1, 1, 2, 2))
    assert "pad_out_h or pad_out_w is given and scale is (3, 3)" in refusal(
        layer("scale: 3 pad_out_h: true"), x=(1, 1, 2, 2), m=(1, 1, 2, 2)
    )
    assert "which only scale enlarges" in refusal(layer("upsample_h: 2 upsample_w: 2", ONE), x=(1, 1, 2, 2))
    assert "needed: equal shapes" in refusal(layer(), x=(1, 1, 2, 2), m=(1, 1, 2, 1))
