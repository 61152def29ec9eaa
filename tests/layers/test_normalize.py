"""Normalize."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, refusal, subject, tops


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "Normalize" bottom: "x" top: "y" norm_param {{ {fields} }} }}'


@pytest.mark.parametrize("shape", [(2, 3, 2, 2), (2, 3)])
@pytest.mark.parametrize("fields", ["", "across_spatial: false", "eps: 0.5", "scale_filler { value: 20 }"])
def test_shared_scale(fields: str, shape: tuple[int, ...]) -> None:
    assert check_layer(layer(fields), x=shape).layer.blobs[0].shape == ()


@pytest.mark.parametrize("fields", ["", "across_spatial: false eps: 0.1"])
def test_a_scale_for_each_channel(fields: str) -> None:
    reason = "SSD takes the part along the vector before the scale comes in"
    it = check_layer(layer(f"{fields} channel_shared: false scale_filler {{ type: 'gaussian' }}"), no_gradcheck=reason, x=(2, 3, 2, 2))
    assert it.layer.blobs[0].shape == (3,)


def test_equal_scales_have_the_exact_gradient() -> None:
    check_layer(layer("channel_shared: false scale_filler { value: 3 }"), x=(2, 3, 2, 2))


def test_values() -> None:
    x = torch.tensor([[[[3.0, 0]], [[4, 2]]]])
    assert tops(layer("across_spatial: false scale_filler { value: 10 }"), x=x)[0].flatten().tolist() == pytest.approx([6, 0, 8, 10])
    assert tops(layer("eps: 7"), x=x)[0].flatten().tolist() == pytest.approx([0.5, 0, 4 / 6, 2 / 6])


def test_refusals() -> None:
    assert "bottom has 1 axis" in refusal(layer(), x=(3,))
    it = subject(layer(), x=(2, 3))
    assert it.layer.reshape([(5, 3, 7)]) == ((5, 3, 7),)
