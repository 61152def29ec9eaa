"""SoftmaxWithLossOHEM."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.engine.build import TEST, built, feed
from tests.layers.check import check_layer, gradients, tops, values


def layer(fields: str = "", rest: str = "") -> str:
    return f'layer {{ name: "l" type: "SoftmaxWithLossOHEM" bottom: "s" bottom: "t" top: "y" {rest} loss_param {{ {fields} }} }}'


TWO, THREE = 'top: "p" loss_weight: 1 loss_weight: 0', 'top: "p" top: "e" loss_weight: 1 loss_weight: 0 loss_weight: 0'


@pytest.mark.parametrize("rest", ["", TWO, THREE])
@pytest.mark.parametrize("fields", ["", "ignore_label: 1", "normalization: PRE_FIXED pre_fixed_normalizer: 3"])
def test_layer(fields: str, rest: str) -> None:
    no_gradcheck = "the loss leaves the last losses out" if "ignore" in fields else ""
    check_layer(layer(fields, rest), no_gradcheck=no_gradcheck, s=(2, 3, 2), t=torch.tensor([[0, 1], [2, 2]]))


def test_the_loss_of_each_label() -> None:
    scores, labels = values((4, 3)), torch.tensor([0, 2, 1, 1])
    loss, softmax, each = tops(layer("ignore_label: 2", THREE), s=scores, t=labels)
    wanted = F.cross_entropy(scores, labels, reduction="none", ignore_index=2)
    torch.testing.assert_close(each, wanted)
    torch.testing.assert_close(loss, wanted[:3].sum() / 3)  # three labels count, and so do the first three losses
    torch.testing.assert_close(gradients(layer("ignore_label: 2"), s=scores, t=labels)[0][3], _gradient(scores, labels)[3])
    assert softmax.abs().sum() == 0
    torch.testing.assert_close(tops(layer("", TWO), s=scores, t=labels)[1], scores.softmax(1))


def _gradient(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    leaf = scores.clone().requires_grad_()
    (found,) = torch.autograd.grad(F.cross_entropy(leaf, labels, ignore_index=2), leaf)
    return found


def test_all_tops_of_rows_of_scores_are_filled_where_nothing_is_learned() -> None:
    net = built(
        f"""layer {{ name: "in" type: "Input" top: "s" top: "t" input_param {{ shape {{ dim: 4 dim: 3 }} shape {{ dim: 4 }} }} }}
{layer("", THREE)}{layer("", TWO).replace('"l"', '"m"').replace('"y"', '"z"').replace('"p"', '"q"')}""",
        TEST,
    )
    scores, labels = values((4, 3)), torch.tensor([0.0, 2, 1, 1])
    engine = feed(net.layerwise, {"s": scores, "t": labels})
    engine.forward()
    torch.testing.assert_close(engine.blobs["e"].data, F.cross_entropy(scores, labels.long(), reduction="none"))
    torch.testing.assert_close(engine.blobs["q"].data, scores.softmax(1))
