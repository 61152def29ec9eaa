"""LSTM, and the hidden state that it shares with RNN."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, refusal, subject

CONT = torch.tensor([[0.0, 1], [1, 0], [1, 1]])


def layer(fields: str = "", bottoms: str = "", tops: str = "") -> str:
    return f"""layer {{ name: "l" type: "LSTM" bottom: "x" bottom: "cont" {bottoms} top: "y" {tops}
                recurrent_param {{ num_output: 2 weight_filler {{ type: "uniform" min: -1 max: 1 }} {fields} }} }}"""


HIDDEN = ("expose_hidden: true", 'bottom: "h" bottom: "c"', 'top: "hT" top: "cT"')


def test_layer() -> None:
    check_layer(layer(), x=(3, 2, 3), cont=CONT)


def test_static_input() -> None:
    it = check_layer(layer(bottoms='bottom: "s"'), x=(3, 2, 3), cont=CONT, s=(2, 4))
    assert [blob.shape for blob in it.layer.blobs] == [(8, 3), (8,), (8, 4), (8, 2)]


def test_exposed_hidden_state() -> None:
    reason = "no gradient goes to or comes from the hidden state, as in Caffe"
    it = check_layer(layer(*HIDDEN), no_gradcheck=reason, x=(3, 2, 3), cont=CONT, h=(1, 2, 2), c=(1, 2, 2))
    y, last, _ = it.forward()
    assert torch.equal(last[0], y[-1])


def test_gates_are_in_the_order_i_f_o_g() -> None:
    it = subject(layer(), x=(1, 1, 1), cont=[[0]])
    weight = torch.tensor([1.0, 2, 3, 4, 5, 6, 7, 8]).reshape(8, 1) / 4
    (y,) = it.layer.forward([torch.ones(1, 1, 1), torch.zeros(1, 1)], [weight, torch.zeros(8), torch.zeros(8, 2)], it.run())
    i, _, o, g = weight.reshape(4, 2)
    torch.testing.assert_close(y[0, 0], o.sigmoid() * (i.sigmoid() * g.tanh()).tanh())


def test_cont_0_forgets_what_came_before() -> None:
    it = subject(layer(), x=(3, 2, 3), cont=CONT)
    x, cont = it.bottoms()
    (y,) = it.layer.forward([x, cont], it.blobs(), it.run())
    tail = subject(layer(), x=(2, 2, 3), cont=CONT[1:])
    (alone,) = tail.layer.forward([x[1:], torch.zeros(2, 2) + torch.tensor([[0.0], [1]])], it.blobs(), it.run())
    torch.testing.assert_close(y[1:, 1], alone[:, 1])
    assert not torch.allclose(y[1:, 0], alone[:, 0])


def test_flops() -> None:
    it = subject(layer(bottoms='bottom: "s"'), x=(3, 2, 5), cont=(3, 2), s=(2, 4))
    assert it.layer.flops([(3, 2, 5), (3, 2), (2, 4)], [(3, 2, 2)]) == 2 * 2 * (3 * (8 * 5 + 8 * 2) + 8 * 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (layer(), "bottom 1, cont, is (3, 3); needed: (3, 2)"),
        (layer(*HIDDEN[:2]), "makes 3 top(s), 1 given"),
        (layer(bottoms='bottom: "h" bottom: "c"'), "takes 2 or 3 bottoms, 4 given"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    assert message in refusal(text, x=(3, 2, 3), cont=(3, 3) if "(3, 3)" in message else (3, 2), h=(1, 2, 2), c=(1, 2, 2))
