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


def test_with_transpose_so_many_numbers_in_a_row_get_length_1() -> None:
    """Those of a row of the top's weights, as they lie in memory, whatever they weigh."""
    fields = "normalize: true transpose: true bias_term: false"
    check_layer(layer(fields), no_gradcheck="the weight's gradient is that of a plain product", x=(2, 3))
    it = subject(layer(fields), x=(2, 3))
    (weight,) = it.blobs()
    rows = weight.clone().view(4, 3)
    it.layer.forward(it.bottoms(), [weight], it.run())
    torch.testing.assert_close(weight.view(4, 3), rows / (rows.square().sum(1, keepdim=True) + 1e-6).sqrt())


def test_weights_as_second_bottom() -> None:
    """num_output is theirs, and normalize has no effect."""
    two = layer("bias_term: false").replace('bottom: "x"', 'bottom: "x" bottom: "w"')
    given = {"x": values((2, 3, 2)), "w": values((5, 6, 1), seed=1)}
    for fields, wanted in (("", given["w"].view(5, 6).t()), ("normalize: true", given["w"].view(5, 6).t())):
        text = two.replace("bias_term: false", f"bias_term: false {fields}")
        it = check_layer(text, **given)
        assert not it.layer.blobs
        torch.testing.assert_close(it.forward()[0], given["x"].view(2, 6) @ wanted)
    square = check_layer(two.replace("bias_term: false", "bias_term: false transpose: true"), x=(3, 4), w=(4, 2, 2))
    torch.testing.assert_close(square.forward()[0], square.bottoms()[0] @ square.bottoms()[1].view(4, 4))
    assert "bottom 1 is (5, 4); needed: (num_output, 6), a weight for each input" in refusal(two, x=given["x"], w=(5, 4))
    assert "bottom 1 is the weight and bias_term is true; needed: bias_term: false" in refusal(two.replace("false", "true"), **given)


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
