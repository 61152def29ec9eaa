"""Embed."""

from __future__ import annotations

import pytest

from tests.layers.check import check_layer, gradients, refusal, subject, tops


def layer(fields: str = "") -> str:
    return f"""layer {{ name: "l" type: "Embed" bottom: "i" top: "y"
                embed_param {{ input_dim: 4 num_output: 3 weight_filler {{ type: "xavier" }} bias_filler {{ value: 0.5 }} {fields} }} }}"""


@pytest.mark.parametrize("fields", ["", "bias_term: false"])
def test_layer(fields: str) -> None:
    check_layer(layer(fields), i=[[0, 3], [3, 1]])


def test_rows_are_picked_by_truncated_indices() -> None:
    it = subject(layer(), i=[3.9])
    weight, bias = it.blobs()
    assert it.forward()[0].tolist() == [(weight[3] + bias).tolist()]


def test_gradients_of_a_row_used_twice_add_up() -> None:
    weight, bias = gradients(layer(), i=[1, 1, 2])
    assert weight[:, 0].tolist() == [0, 2, 1, 0]
    assert bias.tolist() == [3, 3, 3]


def test_the_padding_of_a_sequence_has_no_row_and_no_gradient() -> None:
    it = subject(layer(), i=[-1, 1])
    weight, bias = it.blobs()
    assert it.forward()[0].tolist() == [bias.tolist(), (weight[1] + bias).tolist()]
    assert gradients(layer(), i=[-1, 1])[0][:, 0].tolist() == [0, 1, 0, 0]


def test_refusals() -> None:
    assert "index 4 found; needed: 0 to 3" in refusal(layer(), i=[4])
    assert "index -2 found" in refusal(layer(), i=[-2])
    assert "input_dim is 0" in refusal('layer { name: "l" type: "Embed" bottom: "i" top: "y" embed_param { num_output: 3 } }', i=[0])
    assert tops(layer("bias_term: false"), i=[0])[0].shape == (1, 3)
