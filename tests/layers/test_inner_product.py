"""InnerProduct."""

from __future__ import annotations

import pytest
import torch

from caffepy.engine.numerics import lowered
from tests.layers.check import check_layer, gradients, refusal, subject, values


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


NORMALIZED = "normalize: true bias_term: false"


@pytest.mark.parametrize("fields", [NORMALIZED, "normalize: true axis: 2"])
def test_rows_of_length_1(fields: str) -> None:
    check_layer(layer(fields), no_gradcheck="the weight's gradient is that of a plain product", x=(2, 3, 2, 3))


def test_the_stored_weight_is_brought_to_length_1() -> None:
    text, x, start = layer(NORMALIZED), values((5, 3), 2), values((5, 4), 3)
    it = subject(text, x=x)
    stored = it.blobs()
    wanted = stored[0] / (stored[0].square().sum(1, keepdim=True) + 1e-6).sqrt()
    (y,) = it.layer.forward([x], stored, it.run())
    torch.testing.assert_close(stored[0], wanted)
    torch.testing.assert_close(y, x @ wanted.t())
    torch.testing.assert_close(it.prepared()[0], y)
    dx, dweight = gradients(text, start, x=x)
    torch.testing.assert_close(dx, start @ wanted)
    torch.testing.assert_close(dweight, start.t() @ x)


def test_also_where_layers_compute_in_short_numbers() -> None:
    it = subject(layer(NORMALIZED), x=(5, 3))
    stored = it.blobs()
    lowered(it.layer, it.layer.forward, torch.bfloat16)(it.bottoms(), stored, it.run())
    torch.testing.assert_close(stored[0].norm(dim=1), torch.ones(4))
    assert "normalize is true and so is transpose" in refusal(layer("normalize: true transpose: true"), x=(2, 3))
