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


@pytest.mark.parametrize("ignore", ["", "ignore_label: 1"])
def test_balanced_layer(ignore: str) -> None:
    check_layer(layer(f"balance_labels: true {ignore}"), x=(3, 2, 2), t=torch.rand(3, 2, 2).round())


def test_balanced_labels() -> None:
    """Of each item the losses of one target by the share of the other; 2 is neither, and an item of one kind has no loss."""
    x = torch.tensor([[0.5, -1.0, 2.0, 0.25, 9.0], [1.0, 2.0, 3.0, 4.0, 5.0]])
    t = torch.tensor([[1.0, 0.0, 0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 0.0, 2.0]])
    edge, rest = math.log1p(math.exp(-0.5)), sum(math.log1p(math.exp(v)) for v in (-1.0, 2.0, 0.25))
    assert tops(layer("balance_labels: true"), x=x, t=t)[0] == pytest.approx((edge * 3 / 4 + rest / 4) / 2)
    slopes = gradients(layer("balance_labels: true"), x=x, t=t)[0]
    wanted = [(1 / (1 + math.exp(-v)) - label) * (0.75 if label else 0.25) / 2 for v, label in ((0.5, 1), (-1.0, 0), (2.0, 0), (0.25, 0))]
    assert slopes[0].tolist() == pytest.approx([*wanted, 0])
    assert not slopes[1].any()
    one = tops(layer("balance_labels: true ignore_label: 0"), x=x, t=t)[0]
    assert one == 0  # only the edge is left


def test_large_logits() -> None:
    assert tops(layer(), x=[[1000, -1000]], t=[[1, 0]])[0] == 0
    assert tops(layer(), x=[[1000, -1000]], t=[[0, 1]])[0] == 2000


def test_refusals() -> None:
    assert "bottom 0 has 6 elements and bottom 1 4" in refusal(layer(), x=(2, 3), t=(2, 2))
