"""SoftmaxWithLossOHEM."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.layers.check import check_layer, tops, values


def layer(fields: str = "", rest: str = "") -> str:
    return f'layer {{ name: "l" type: "SoftmaxWithLossOHEM" bottom: "s" bottom: "t" top: "y" {rest} loss_param {{ {fields} }} }}'


TWO, THREE = 'top: "p" loss_weight: 1 loss_weight: 0', 'top: "p" top: "e" loss_weight: 1 loss_weight: 0 loss_weight: 0'


@pytest.mark.parametrize("rest", ["", TWO, THREE])
@pytest.mark.parametrize("fields", ["", "ignore_label: 1", "normalization: PRE_FIXED pre_fixed_normalizer: 3"])
def test_layer(fields: str, rest: str) -> None:
    check_layer(layer(fields, rest), s=(2, 3, 2), t=torch.tensor([[0, 1], [2, 2]]))


def test_the_loss_of_each_label() -> None:
    scores, labels = values((4, 3)), torch.tensor([0, 2, 1, 1])
    loss, softmax, each = tops(layer("ignore_label: 2", THREE), s=scores, t=labels)
    wanted = F.cross_entropy(scores, labels, reduction="none", ignore_index=2)
    torch.testing.assert_close(each, wanted)
    torch.testing.assert_close(loss, wanted.sum() / 3)
    assert softmax.abs().sum() == 0
    torch.testing.assert_close(tops(layer("", TWO), s=scores, t=labels)[1], scores.softmax(1))
