"""LSTMUnit."""

from __future__ import annotations

import torch

from tests.layers.check import check_layer, gradients, refusal, subject, tops

LAYER = 'layer { name: "l" type: "LSTMUnit" bottom: "c" bottom: "g" bottom: "cont" top: "c1" top: "h1" }'


def test_layer() -> None:
    check_layer(LAYER, c=(1, 3, 2), g=(1, 3, 8), cont=[[1, 1, 0]])


def test_a_cont_between_0_and_1_scales_the_forget_gate_before_its_derivative() -> None:
    """f * (1 - f) takes the scaled gate, as in Caffe, whose cont is only ever 0 or 1."""
    gate = gradients(LAYER, c=torch.full((1, 1, 1), 2.0), g=torch.zeros(1, 1, 4), cont=[[0.5]])[1]
    assert gate[0, 0, 1] == 2 * 0.25 * (1 - 0.25)


def test_values() -> None:
    gates = torch.tensor([1.0, 2, 3, 4]).reshape(1, 1, 4)
    c, h = tops(LAYER, c=torch.full((1, 1, 1), 0.5), g=gates, cont=[[1]])
    i, f, o, g = gates[0, 0]
    cells = f.sigmoid() * 0.5 + i.sigmoid() * g.tanh()
    torch.testing.assert_close(c[0, 0, 0], cells)
    torch.testing.assert_close(h[0, 0, 0], o.sigmoid() * cells.tanh())


def test_there_is_no_gradient_to_the_marks() -> None:
    it = subject(LAYER, c=(1, 3, 2), g=(1, 3, 8), cont=(1, 3))
    assert it.layer.gradients.refused == it.layer.gradients.unforced == (2,)


def test_refusals() -> None:
    assert "bottom 1 is (1, 3, 6); needed: (1, 3, 8)" in refusal(LAYER, c=(1, 3, 2), g=(1, 3, 6), cont=(1, 3))
    assert "bottom 0 is (2, 3, 2)" in refusal(LAYER, c=(2, 3, 2), g=(2, 3, 8), cont=(2, 3))
