"""CenterLoss."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, subject


def layer(fields: str = "", weight: str = "loss_weight: 1") -> str:
    return f"""layer {{ name: "l" type: "CenterLoss" bottom: "x" bottom: "t" top: "y" {weight}
                center_loss_param {{ num_output: 3 center_filler {{ type: "gaussian" }} {fields} }} }}"""


REASON = "a center's gradient is averaged over its items and one more"


@pytest.mark.parametrize("weight", ["loss_weight: 1", "loss_weight: 0.25"])
def test_layer(weight: str) -> None:
    check_layer(layer(weight=weight), no_gradcheck=REASON, x=(4, 2), t=[0, 2, 2, 0])


def test_axis() -> None:
    it = check_layer(layer("axis: 2"), no_gradcheck=REASON, x=(2, 2, 3), t=[[0, 2], [1, 1]])
    assert it.layer.blobs[0].shape == (3, 3)


def test_loss_and_gradients() -> None:
    it = subject(layer(), x=(4, 2), t=[0, 2, 2, 0])
    centers, (x, t) = it.blobs()[0], it.bottoms()
    away = x - centers[t.long()]
    assert it.forward()[0] == pytest.approx(away.square().sum().item() / 8)
    dx, dc = gradients(layer(), x=x, t=t)
    torch.testing.assert_close(dx, away / 4)
    torch.testing.assert_close(dc, torch.stack((-(away[0] + away[3]) / 3, torch.zeros(2), -(away[1] + away[2]) / 3)))


def test_refusals() -> None:
    assert "label 3 found; needed: 0 to 2" in refusal(layer(), x=(1, 2), t=[3])
    assert "num_output is 0" in refusal('layer { name: "l" type: "CenterLoss" bottom: "x" bottom: "t" top: "y" }', x=(1, 2), t=[0])
