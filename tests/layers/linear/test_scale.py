"""Scale."""

from __future__ import annotations

import math

import pytest

from caffepy.errors import LayerError
from tests.engine.build import built
from tests.layers.check import check_layer, refusal, subject, tops


def layer(fields: str = "", bottoms: str = 'bottom: "x"', top: str = "y") -> str:
    return f'layer {{ name: "l" type: "Scale" {bottoms} top: "{top}" scale_param {{ {fields} }} }}'


TWO = 'bottom: "x" bottom: "b"'
RANDOM = 'filler { type: "gaussian" } bias_filler { type: "gaussian" }'


@pytest.mark.parametrize("bias", ["", "bias_term: true"])
@pytest.mark.parametrize(
    ("fields", "shape"),
    [("", (3,)), ("axis: 0", (2,)), ("axis: -1", (3,)), ("num_axes: 2", (3, 2)), ("num_axes: -1", (3, 2, 3)), ("num_axes: 0", ())],
)
def test_learned(fields: str, shape: tuple[int, ...], bias: str) -> None:
    it = check_layer(layer(f"{fields} {bias} {RANDOM}"), x=(2, 3, 2, 3))
    assert [blob.shape for blob in it.layer.blobs] == [shape] * (2 if bias else 1)


@pytest.mark.parametrize("bias", ["", "bias_term: true"])
@pytest.mark.parametrize(("fields", "small"), [("", (3,)), ("axis: 0", (2, 3)), ("axis: -1", (3,)), ("", ())])
def test_second_bottom(fields: str, small: tuple[int, ...], bias: str) -> None:
    check_layer(layer(f"{fields} {bias} {RANDOM}", TWO), x=(2, 3, 2, 3), b=small)


def test_0_times_what_is_no_number_is_nan() -> None:
    """For Caffe its BLAS decides."""
    found = tops(layer("axis: 0", TWO), x=[math.inf, math.nan, 0, 0], b=[0, 0, math.inf, math.nan])[0]
    assert found.isnan().all()


def test_two_numbers_without_axes() -> None:
    check_layer(layer(f"bias_term: true {RANDOM}", TWO), x=(), b=())


def test_in_place() -> None:
    check_layer(layer(f"bias_term: true {RANDOM}", top="x"), x=(2, 3, 4))
    check_layer(layer("", TWO, "x"), x=(2, 3, 4), b=(3,))


def test_the_scale_is_1_at_first_and_the_bias_0() -> None:
    assert tops(layer("bias_term: true"), x=[[3, 4]])[0].tolist() == [[3, 4]]


@pytest.mark.parametrize(
    ("fields", "shape", "affine"), [("", (2, 3, 4), True), ("axis: 2", (2, 3, 4), False), ("num_axes: 2", (2, 3, 4), False)]
)
def test_channel_affine(fields: str, shape: tuple[int, ...], affine: bool) -> None:
    assert subject(layer(fields), x=shape).layer.channel_affine is affine


def test_refusals() -> None:
    assert "needed: equal dims" in refusal(layer("", TWO), x=(2, 3), b=(4,))
    assert "reach past the bottom's 2 axes" in refusal(layer("num_axes: 2"), x=(2, 3))


def test_a_second_bottom_that_is_not_as_long_as_the_bias_any_more() -> None:
    reshape = subject(layer("axis: 0 bias_term: true", TWO), x=(2, 3), b=(2,)).layer.reshape
    with pytest.raises(LayerError, match=r"bottom 1 is \(1,\) and the bias \(2,\); needed: equal shapes"):
        reshape([(1, 3), (1,)])


DATA = (
    'layer {{ name: "d" type: "DummyData" top: "x" dummy_data_param {{ shape {{ {dims} }} data_filler {{ type: "constant" value: 1 }} }} }}'
)
ONE = 'layer {{ name: "{name}" type: "Scale" bottom: "{bottom}" top: "{top}" {param} scale_param {{ {fields} bias_term: true }} }}\n'
SUM = 'layer {{ name: "sum" type: "Reduction" bottom: "{bottom}" top: "sum" loss_weight: 1 }}\n'


def scale_gradients(engine: str, text: str, passes: int) -> list[float]:
    """Sums of the gradients of the scale and of the bias after so many passes."""
    it = built(text)
    runner = it.layerwise if engine == "layerwise" else it.whole
    runner.clear_gradients()
    for _ in range(passes):
        runner.forward_backward()
    return [float(gradient.sum()) for gradient in runner.gradients() if gradient is not None]


@pytest.mark.parametrize("engine", ["layerwise", "whole"])
@pytest.mark.parametrize(
    ("dims", "fields", "expected"),
    [
        ("dim: 1 dim: 2 dim: 3", "", [6.0, 12.0]),  # one item: the last pass's alone, and the bias's sum
        ("dim: 2 dim: 2 dim: 3", "", [24.0, 24.0]),
        ("dim: 2 dim: 3", "axis: 0 num_axes: -1", [6.0, 12.0]),
        ("dim: 1 dim: 2", "", [2.0, 4.0]),
        ("dim: 1 dim: 1 dim: 3", "", [6.0, 6.0]),  # one number is added to
        ("dim: 1 dim: 1", "", [1.0, 2.0]),
        ("dim: 1 dim: 2 dim: 3", "num_axes: 0", [12.0, 12.0]),
    ],
)
def test_gradients_of_two_passes_as_caffe_adds_them_up(engine: str, dims: str, fields: str, expected: list[float]) -> None:
    text = DATA.format(dims=dims) + ONE.format(name="l", bottom="x", top="y", param="", fields=fields) + SUM.format(bottom="y")
    assert scale_gradients(engine, text, 2) == pytest.approx(expected)


@pytest.mark.parametrize("engine", ["layerwise", "whole"])
@pytest.mark.parametrize(("items", "expected"), [(1, [6.0, 12.0]), (2, [24.0, 24.0])])
def test_gradient_of_a_shared_scale_as_caffe_adds_it_up(engine: str, items: int, expected: list[float]) -> None:
    """Both layers see ones; with one item the first layer's backward, which comes last, overwrites what the second's has left."""
    param = 'param { name: "w" } param { name: "b" }'
    layers = "".join(ONE.format(name=name, bottom="x", top=name, param=param, fields="") for name in ("a", "b"))
    added = 'layer { name: "s" type: "Eltwise" bottom: "a" bottom: "b" top: "y" }'
    text = DATA.format(dims=f"dim: {items} dim: 2 dim: 3") + layers + added + SUM.format(bottom="y")
    assert scale_gradients(engine, text, 1) == pytest.approx(expected)
