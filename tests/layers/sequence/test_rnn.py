"""RNN."""

from __future__ import annotations

import torch

from tests.layers.check import check_layer, subject

CONT = torch.tensor([[0.0, 1], [1, 0], [1, 1]])


def layer(fields: str = "", bottoms: str = "", tops: str = "") -> str:
    return f"""layer {{ name: "l" type: "RNN" bottom: "x" bottom: "cont" {bottoms} top: "y" {tops}
                recurrent_param {{ num_output: 2 weight_filler {{ type: "uniform" min: -1 max: 1 }} {fields} }} }}"""


def test_layer() -> None:
    check_layer(layer(), x=(3, 2, 3), cont=CONT)


def test_static_input() -> None:
    it = check_layer(layer(bottoms='bottom: "s"'), x=(3, 2, 3), cont=CONT, s=(2, 4))
    assert [blob.shape for blob in it.layer.blobs] == [(2, 3), (2,), (2, 4), (2, 2), (2, 2), (2,)]


def test_exposed_hidden_state() -> None:
    reason = "no gradient goes to or comes from the hidden state, as in Caffe"
    check_layer(layer("expose_hidden: true", 'bottom: "h"', 'top: "hT"'), no_gradcheck=reason, x=(3, 2, 3), cont=CONT, h=(1, 2, 2))


def test_the_output_goes_through_tanh_too() -> None:
    it = subject(layer(), x=(1, 1, 3), cont=[[0]])
    w_xh, b_h, _, w_ho, b_o = it.blobs()
    hidden = (w_xh @ it.bottoms()[0].flatten() + b_h).tanh()
    torch.testing.assert_close(it.forward()[0].flatten(), (w_ho @ hidden + b_o).tanh())
