"""LabelsequenceAccuracy."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str = "blank_label: 2") -> str:
    return (
        f'layer {{ name: "l" type: "LabelsequenceAccuracy" bottom: "x" bottom: "t" top: "y" labelsequence_accuracy_param {{ {fields} }} }}'
    )


BEST = torch.tensor([[0, 0, 2, 0, 1], [1, 2, 2, 1, 0], [2, 2, 2, 2, 2], [1, 1, 1, 1, 1]])
SCORES = F.one_hot(BEST, 3).float()


@pytest.mark.usefixtures("looked_at")
def test_layer() -> None:
    check_layer(layer(), x=(4, 5, 3), t=[[0, 0, 1]] * 4)
    check_layer(layer(), x=(4, 5, 3, 1), t=torch.zeros(4, 3, 1))


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize(
    ("labels", "wanted"),
    [
        ([[0, 0, 1], [1, 1, 0], [2, 2, 2], [1, 2, 2]], 1),
        ([[2, 0, 0, 2, 1], [1, 1, 0, 2, 2], [2] * 5, [2, 2, 2, 2, 1]], 1),
        ([[0, 0, 1], [1, 1, 2], [2, 2, 2], [2, 2, 2]], 0.5),
        ([[0, 1, 2], [0, 1, 1], [0, 2, 2], [1, 1, 2]], 0),
    ],
)
def test_whole_sequences_count(labels: list[list[int]], wanted: float) -> None:
    """Without repetitions and blanks the best are 0 0 1, 1 1 0, nothing, and 1."""
    assert tops(layer(), x=SCORES, t=labels)[0] == wanted


@pytest.mark.usefixtures("looked_at")
def test_another_blank_and_equal_scores() -> None:
    """The first of equal scores is the best."""
    assert tops(layer(""), x=SCORES, t=[[2, 1, 0], [1, 2, 1], [2, 0, 0], [0, 0, 1]])[0] == 1
    assert tops(layer(""), x=torch.zeros(1, 4, 3), t=[[0, 0]])[0] == 1


def test_refusals() -> None:
    assert "bottom 0 is (4, 5); needed: (sequences, time steps, classes)" in refusal(layer(), x=(4, 5), t=[[1]] * 4)
    assert "bottom 1 is (3, 1); needed: (4, labels)" in refusal(layer(), x=(4, 5, 3), t=[[1]] * 3)
