"""SigmoidCrossEntropyLoss."""

from __future__ import annotations

import math

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "SigmoidCrossEntropyLoss" bottom: "x" bottom: "t" top: "y" loss_param {{ {fields} }} }}'


MODES = [
    "",
    "normalization: FULL",
    "normalization: VALID",
    "normalization: BATCH_SIZE",
    "normalization: NONE",
    "normalize: true",
    "normalize: false",
]


@pytest.mark.parametrize("ignore", ["", "ignore_label: 1", "ignore_label: 0"])
@pytest.mark.parametrize("fields", MODES)
def test_layer(fields: str, ignore: str) -> None:
    check_layer(layer(f"{fields} {ignore}"), x=(3, 2, 2), t=torch.rand(3, 2, 2).round())


@pytest.mark.parametrize(
    ("fields", "divisor"),
    [("", 2), ("normalization: VALID", 5), ("normalize: true", 5), ("normalization: FULL", 6), ("normalization: NONE", 1)],
)
def test_divisor(fields: str, divisor: int) -> None:
    x, t = torch.zeros(2, 3), torch.tensor([[0.0, 1, -1], [1, 1, 0]])
    assert tops(layer(f"{fields} ignore_label: -1"), x=x, t=t)[0] == pytest.approx(5 * math.log(2) / divisor)


def test_nan_where_the_target_is_ignored_does_not_matter() -> None:
    x = torch.tensor([[0.0, math.nan]])
    assert tops(layer("ignore_label: 2"), x=x, t=[[1, 2]])[0] == pytest.approx(math.log(2))
    assert gradients(layer("ignore_label: 2"), x=x, t=[[1, 2]])[0].tolist() == [[-0.5, 0]]


def test_the_ignored_label_is_compared_with_the_truncated_target() -> None:
    assert tops(layer("ignore_label: 0"), x=(2, 3), t=torch.full((2, 3), 0.9))[0] == 0
    assert gradients(layer("ignore_label: 0 normalization: VALID"), x=(2, 3), t=torch.full((2, 3), 0.9))[0].abs().sum() == 0


def test_large_logits() -> None:
    assert tops(layer(), x=[[1000, -1000]], t=[[1, 0]])[0] == 0
    assert tops(layer(), x=[[1000, -1000]], t=[[0, 1]])[0] == 2000


def test_refusals() -> None:
    assert "bottom 0 has 6 elements and bottom 1 4" in refusal(layer(), x=(2, 3), t=(2, 2))
