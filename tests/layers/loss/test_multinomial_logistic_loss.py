"""MultinomialLogisticLoss."""

from __future__ import annotations

import math

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops

LAYER = 'layer { name: "l" type: "MultinomialLogisticLoss" bottom: "p" bottom: "t" top: "y" }'


def test_layer() -> None:
    check_layer(LAYER, p=torch.rand(4, 3) + 0.1, t=[0, 2, 1, 1])


def test_loss() -> None:
    assert tops(LAYER, p=[[0.25, 0.75], [0.5, 0.5]], t=[1.9, 0])[0] == pytest.approx(-(math.log(0.75) + math.log(0.5)) / 2)


def test_probabilities_count_as_no_less_than_1e_20_and_keep_the_gradient_there() -> None:
    p = [[0.0, 1]]
    assert tops(LAYER, p=p, t=[0])[0] == pytest.approx(-math.log(1e-20))
    assert gradients(LAYER, p=p, t=[0])[0].tolist() == [[pytest.approx(-1e20), 0]]


def test_refusals() -> None:
    assert "bottom 0 has 5 axes" in refusal(LAYER, p=(1, 2, 1, 1, 1), t=(1,))
    assert "bottom 1 is (2, 2)" in refusal(LAYER, p=(2, 3), t=(2, 2))
    assert "label 3 found" in refusal(LAYER, p=(2, 3), t=[0, 3])
