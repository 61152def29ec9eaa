"""InnerProduct."""

from __future__ import annotations

import pytest

from tests.layers.check import check_layer, refusal, subject


def layer(fields: str = "") -> str:
    return f"""layer {{ name: "l" type: "InnerProduct" bottom: "x" top: "y"
                inner_product_param {{ num_output: 4 weight_filler {{ type: "xavier" }} bias_filler {{ type: "gaussian" }} {fields} }} }}"""


@pytest.mark.parametrize(
    "fields", ["", "bias_term: false", "transpose: true", "transpose: true bias_term: false", "axis: 2", "axis: 0", "axis: -1"]
)
def test_layer(fields: str) -> None:
    check_layer(layer(fields), x=(2, 3, 2, 3))


def test_axes_from_axis_on_are_flattened() -> None:
    it = subject(layer("axis: 2"), x=(2, 3, 2, 5))
    assert it.layer.blobs[0].shape == (4, 10)
    assert it.graph.values[-1].shape == (2, 3, 4)
    assert it.layer.flops([(2, 3, 2, 5)], [(2, 3, 4)]) == 2 * 2 * 3 * 4 * 10


def test_a_negative_axis_is_counted_in_every_bottom() -> None:
    it = subject(layer("axis: -1"), x=(2, 3, 5))
    assert it.layer.reshape([(6, 5)]) == ((6, 4),)
    assert it.layer.forward([it.bottoms()[0].reshape(6, 5)], it.blobs(), it.run())[0].shape == (6, 4)


def test_transposed_weights_are_stored_inputs_first() -> None:
    assert subject(layer("transpose: true"), x=(2, 5)).layer.blobs[0].shape == (5, 4)


def test_refusals() -> None:
    assert "num_output is 0" in refusal('layer { name: "l" type: "InnerProduct" bottom: "x" top: "y" }', x=(2, 3))
    assert "axis is 2" in refusal(layer("axis: 2"), x=(2, 3))
