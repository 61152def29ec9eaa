"""HingeLoss."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "HingeLoss" bottom: "s" bottom: "t" top: "y" hinge_loss_param {{ {fields} }} }}'


@pytest.mark.parametrize("fields", ["", "norm: L2"])
def test_layer(fields: str) -> None:
    check_layer(layer(fields), s=(4, 3), t=[0, 2, 1, 1])


def test_all_axes_after_the_first_are_classes() -> None:
    check_layer(layer(), s=(2, 3, 2), t=[5, 0])


def test_every_score_is_compared_with_1() -> None:
    scores = [[0.5, -0.25], [3, 0.5]]
    assert tops(layer(), s=scores, t=[0, 0])[0] == (0.5 + 0.75 + 1.5) / 2
    assert tops(layer("norm: L2"), s=scores, t=[0, 0])[0] == (0.25 + 0.5625 + 2.25) / 2
    assert gradients(layer(), s=scores, t=[0, 0])[0].tolist() == [[-0.5, 0.5], [0, 0.5]]


def test_refusals() -> None:
    assert "bottom 0 has 5 axes" in refusal(layer(), s=(1, 2, 1, 1, 1), t=(1,))
    assert "label 3 found; needed: 0 to 2" in refusal(layer(), s=(2, 3), t=[0, 3])
    assert "the same first dim" in refusal(layer(), s=(2, 3), t=(3,))


@pytest.mark.parametrize("norm", ["L1", "L2"])
def test_nan_counts_nothing(norm: str) -> None:
    """As Caffe's max(0, NaN): the loss of a net that diverged prints 0."""
    text = f'layer {{ name: "l" type: "HingeLoss" bottom: "x" bottom: "t" top: "y" hinge_loss_param {{ norm: {norm} }} }}'
    given: dict[str, Any] = {"x": torch.tensor([[math.nan, math.nan], [0.5, math.nan]]), "t": torch.tensor([0.0, 0.0])}
    assert tops(text, **given)[0].item() == (0.25 if norm == "L1" else 0.125)
    assert not gradients(text, **given)[0].isnan().any()
