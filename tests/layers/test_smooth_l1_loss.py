"""SmoothL1Loss."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, refusal, tops


def layer(sigma: float = 1, bottoms: str = "ab") -> str:
    names = " ".join(f'bottom: "{name}"' for name in bottoms)
    return f'layer {{ name: "l" type: "SmoothL1Loss" {names} top: "y" smooth_l1_loss_param {{ sigma: {sigma} }} }}'


@pytest.mark.parametrize("sigma", [1, 2, 0.5])
def test_layer(sigma: float) -> None:
    check_layer(layer(sigma), a=(4, 3), b=(4, 3))


def test_weights() -> None:
    check_layer(layer(2, "abio"), a=(4, 3, 2), b=(4, 3, 2), i=(4, 3, 2), o=(4, 3, 2))


def test_values() -> None:
    assert tops(layer(), a=[[0.5, 3], [0, -1]], b=torch.zeros(2, 2))[0] == (0.125 + 2.5 + 0.5) / 2
    assert tops(layer(2), a=[[0.125, 3]], b=torch.zeros(1, 2))[0] == 2 * 0.125**2 + 3 - 0.125


def test_axes_of_1_at_the_end_do_not_matter() -> None:
    plain = tops(layer(2, "abio"), a=(4, 3), b=(4, 3), i=(4, 3), o=(4, 3))
    assert torch.equal(tops(layer(2, "abio"), a=(4, 3), b=(4, 3, 1, 1), i=(4, 3, 1), o=(4, 3, 1, 1))[0], plain[0])


def test_refusals() -> None:
    assert "needed: 2, or 4 with inside and outside weights" in refusal(layer(1, "abi"), a=(2, 3), b=(2, 3), i=(2, 3))
    assert "equal shapes" in refusal(layer(), a=(2, 3), b=(2, 2))
