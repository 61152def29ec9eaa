"""ReLU."""

from __future__ import annotations

import math

import pytest
import torch

from caffepy.engine.whole import WholeEngine
from caffepy.layers.core.random import CaffeRandom
from tests.layers.check import check_layer, gradients, subject, tops


def layer(slope: float = 0, top: str = "y") -> str:
    return f'layer {{ name: "l" type: "ReLU" bottom: "x" top: "{top}" relu_param {{ negative_slope: {slope} }} }}'


@pytest.mark.parametrize("top", ["x", "y"])
@pytest.mark.parametrize("slope", [0, 0.1, -0.2])
def test_layer(slope: float, top: str) -> None:
    check_layer(layer(slope, top), no_gradcheck="the gradient at the top" if top == "x" and slope < 0 else "", x=(2, 3, 4))


def test_in_place_the_gradient_is_that_at_the_top() -> None:
    assert gradients(layer(-0.5, "x"), x=[-1, 0, 1])[0].tolist() == [1, -0.5, 1]
    assert gradients(layer(-0.5), x=[-1, 0, 1])[0].tolist() == [-0.5, -0.5, 1]


def test_infinities_and_nan() -> None:
    assert str(tops(layer(), x=[-math.inf, math.inf, math.nan])[0].tolist()) == "[nan, inf, nan]"
    assert tops(layer(0.5), x=[-math.inf])[0].tolist() == [-math.inf]


def test_negative_values_become_0_not_minus_0() -> None:
    assert not tops(layer(), x=[-1, -2])[0].signbit().any()


@pytest.mark.parametrize("slope", [0, -0.5])
@pytest.mark.parametrize("flags", [{}, {"inplace": True}])
def test_zeros_are_plain(slope: float, flags: dict[str, bool]) -> None:
    """As max(x, 0) + slope * min(x, 0) gives them: what divides by the top gets infinities of the right sign."""
    it = subject(layer(slope), x=[0, 1, 0])
    for bottom in (it.bottoms()[0], it.bottoms()[0].requires_grad_() * 1):
        (y,) = it.layer.forward([bottom], [], it.run(**flags))
        assert not y.signbit().any()


def test_zeros_of_a_gradient_have_the_sign_of_the_diff() -> None:
    assert gradients(layer(), [2, -3, 4], x=[-1, -1, 0])[0].signbit().tolist() == [False, True, False]


def test_terms_of_sums_may_have_any_zero() -> None:
    """The engines say so where the top is only read by layers that add it up: it then costs no second pass over the numbers."""
    text = """layer { name: "c" type: "Convolution" bottom: "x" top: "c" convolution_param { num_output: 1 kernel_size: 1 } }
              layer { name: "r" type: "ReLU" bottom: "c" top: "r" } layer { name: "s" type: "ReLU" bottom: "r" top: "s" }
              layer { name: "d" type: "Convolution" bottom: "s" top: "d" convolution_param { num_output: 1 kernel_size: 1 } }
              layer { name: "t" type: "ReLU" bottom: "d" top: "t" }"""
    it = subject(text, x=(1, 1, 2, 2))
    engine = WholeEngine(it.graph, it.arena, CaffeRandom(1))
    only_summed = {node.name: run.only_summed for node, run in zip(it.graph.nodes, engine.runs, strict=True)}
    assert (only_summed["r"], only_summed["s"], only_summed["t"]) == (True, True, False)


def test_gradients_at_0_and_nan() -> None:
    assert gradients(layer(0.5), x=[-1, 0, 1, math.nan])[0].tolist() == [0.5, 0.5, 1, 0.5]
    assert gradients(layer(), x=[0, math.nan])[0].tolist() == [0, 0]


def test_minus_0_gives_0() -> None:
    """Caffe's CPU code gives -0 here, and its GPU code for all negative numbers; see docs/coming_from_caffe.md."""
    assert (1 / tops(layer(), x=[-0.0, -1])[0]).tolist() == [math.inf, math.inf]


@pytest.mark.parametrize(("slope", "same"), [(0, True), (0.1, True), (-0.1, False)])
def test_it_works_in_place_unless_the_top_hides_the_sign(slope: float, same: bool) -> None:
    it = subject(layer(slope), x=(2, 3))
    (x,) = it.bottoms()
    (y,) = it.layer.forward([x], [], it.run(inplace=True))
    assert (y.data_ptr() == x.data_ptr()) is same
    assert torch.equal(y, it.forward()[0])
