"""TripletLoss."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops


def layer(fields: str = "", rest: str = "") -> str:
    return (
        f'layer {{ name: "l" type: "TripletLoss" bottom: "a" bottom: "p" bottom: "n" {rest} top: "y" triplet_loss_param {{ {fields} }} }}'
    )


SIM = 'bottom: "s"'


def test_layer() -> None:
    check_layer(layer(), a=(4, 3), p=(4, 3), n=(4, 3))
    check_layer(layer("margin: 4", SIM), a=(4, 3, 1, 1), p=(4, 3, 1, 1), n=(4, 3, 1, 1), s=(4,))


A, P, N = ([[1.0, 0], [0, 0], [0, 0]], [[0.0, 2], [0, 1], [0, 0]], [[0.0, 0], [3, 0], [1, 0]])


def test_loss_and_gradients() -> None:
    """Leads of 1 + 5 - 1, 1 + 1 - 9 and 1 + 0 - 1: only the first counts, and a lead of 0 has no gradient."""
    assert tops(layer(), a=A, p=P, n=N)[0] == pytest.approx(5 / 6)
    a, p, n = (found.tolist() for found in gradients(layer(), a=A, p=P, n=N))
    nothing = [[0, 0], [0, 0]]
    torch.testing.assert_close(torch.tensor(a), torch.tensor([[0.0, -2], *nothing]) / 3)
    torch.testing.assert_close(torch.tensor(p), torch.tensor([[-1.0, 2], *nothing]) / 3)
    torch.testing.assert_close(torch.tensor(n), torch.tensor([[1.0, 0], *nothing]) / 3)


def test_margin_and_fourth_bottom() -> None:
    assert tops(layer("margin: 8.5"), a=A, p=P, n=N)[0] == pytest.approx((12.5 + 0.5 + 7.5) / 6)
    assert tops(layer("margin: 8.5", SIM), a=A, p=P, n=N, s=[0, 0, 0])[0] == pytest.approx(20.5 / 6)


def test_refusals() -> None:
    assert "the bottoms are (4, 3), (4, 2), (4, 3); needed: (N, C) three times" in refusal(layer(), a=(4, 3), p=(4, 2), n=(4, 3))
    assert "needed: (N, C) three times, or (N, C, 1, 1)" in refusal(layer(), a=(4, 3, 2, 1), p=(4, 3, 2, 1), n=(4, 3, 2, 1))
    assert tops(layer(), a=(4, 3), p=(4, 3, 1, 1), n=(4, 3))[0].shape == ()
    assert "bottom 3 is (3,); needed: the first dim of the others, 4" in refusal(layer("", SIM), a=(4, 3), p=(4, 3), n=(4, 3), s=(3,))
    assert "takes 3 to 4 bottom blob(s), 2 given" in refusal(layer().replace('bottom: "n"', ""), a=(4, 3), p=(4, 3))
