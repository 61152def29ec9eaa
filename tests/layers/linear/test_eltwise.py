"""Eltwise."""

from __future__ import annotations

import math

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, subject, tops


def layer(fields: str = "", bottoms: str = "ab", top: str = "y") -> str:
    names = " ".join(f'bottom: "{name}"' for name in bottoms)
    return f'layer {{ name: "l" type: "Eltwise" {names} top: "{top}" eltwise_param {{ {fields} }} }}'


@pytest.mark.parametrize("fields", ["", "coeff: 1 coeff: -1", "coeff: 2 coeff: 0.5", "operation: PROD", "operation: MAX"])
def test_two(fields: str) -> None:
    check_layer(layer(fields), a=(2, 3, 4), b=(2, 3, 4))


@pytest.mark.parametrize(
    "fields", ["", "coeff: 1 coeff: -2 coeff: 3", "operation: PROD", "operation: PROD stable_prod_grad: false", "operation: MAX"]
)
def test_three(fields: str) -> None:
    check_layer(layer(fields, "abc"), a=(2, 3), b=(2, 3), c=(2, 3))


@pytest.mark.parametrize("fields", ["", "operation: PROD", "operation: PROD stable_prod_grad: false", "operation: MAX"])
def test_in_place_has_caffes_numbers(fields: str) -> None:
    check_layer(
        layer(fields, "abc", "a"), no_gradcheck="passes over the bottoms see what the earlier ones left", a=(2, 3), b=(2, 3), c=(2, 3)
    )


def test_a_sum_in_place_loses_the_first_bottom() -> None:
    assert tops(layer(top="a"), a=[1, 2], b=[10, 20])[0].tolist() == [10, 20]


def test_a_maximum_in_place_loses_the_first_bottom() -> None:
    """Caffe fills the top with -FLT_MAX first."""
    in_place = layer("operation: MAX", "abc", "a")
    a, b, c = [9, 9, 9], [1, 2, -math.inf], [5, 0, -math.inf]
    assert tops(in_place, a=a, b=b, c=c)[0].tolist() == [5, 2, torch.finfo(torch.float32).min]
    assert [g.tolist() for g in gradients(in_place, [10, 20, 30], a=a, b=b, c=c)] == [[0, 0, 30], [0, 0, 0], [0, 0, 0]]


def test_a_product_in_place_overwrites_the_diff_that_it_reads() -> None:
    """The first bottom's diff is the top's; what lands there is multiplied by itself, and the others see that."""
    values = {"a": [2.0], "b": [3.0], "c": [5.0]}
    stable = gradients(layer("operation: PROD", "abc", "a"), [7], **values)
    assert [g.tolist() for g in stable] == [[15**2], [5 * 30 * 15**2], [3 * 30 * 15**2]]
    unstable = gradients(layer("operation: PROD stable_prod_grad: false", "abc", "a"), [7], **values)
    assert [g.tolist() for g in unstable] == [[1], [10], [6]]


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [("coeff: 2 coeff: 3", 21), ("operation: PROD", 7 * 22), ("operation: PROD stable_prod_grad: false", 14), ("operation: MAX", 7)],
)
def test_in_place_on_a_bottom_without_gradient_nothing_is_overwritten(fields: str, wanted: float) -> None:
    it = subject(layer(fields, top="a"), a=[2.0], b=[11.0])
    a, b = it.bottoms()
    (y,) = it.layer.forward([a, b.requires_grad_()], [], it.run())
    y.backward(torch.tensor([7.0]))
    assert b.grad is not None
    assert b.grad.item() == wanted


def test_of_equal_maxima_the_second_of_the_first_two_gets_the_gradient() -> None:
    equal = [7.0]
    assert [g.tolist() for g in gradients(layer("operation: MAX", "abc"), a=equal, b=equal, c=equal)] == [[0], [1], [0]]
    assert [g.tolist() for g in gradients(layer("operation: MAX", "abc"), a=[8], b=equal, c=[8])] == [[1], [0], [0]]
    assert [g.tolist() for g in gradients(layer("operation: MAX", "abc"), a=[8], b=equal, c=[9])] == [[0], [0], [1]]


def test_products_of_0() -> None:
    stable = gradients(layer("operation: PROD"), a=[0, 2], b=[3, 4])
    assert [g.tolist() for g in stable] == [[3, 4], [0, 2]]
    unstable = gradients(layer("operation: PROD stable_prod_grad: false"), a=[0, 2], b=[3, 4])
    assert math.isnan(unstable[0][0])
    assert unstable[0][1] == 4


@pytest.mark.parametrize(
    ("inplace", "second_free", "overwritten"), [(True, False, 0), (False, True, 1), (True, True, 0), (False, False, None)]
)
def test_a_sum_takes_the_memory_of_a_bottom_that_nothing_else_reads(inplace: bool, second_free: bool, overwritten: int | None) -> None:
    it = subject(layer(), a=(2, 3), b=(2, 3))
    bottoms = it.bottoms()
    wanted = bottoms[0] + bottoms[1]
    (y,) = it.layer.forward(bottoms, [], it.run(inplace=inplace, second_free=second_free))
    assert torch.equal(y, wanted)
    assert [y is bottom for bottom in bottoms] == [overwritten == 0, overwritten == 1]


@pytest.mark.parametrize(("fields", "bottoms"), [("", "ab"), ("coeff: 1 coeff: -1", "ac"), ("", "abd")])
def test_a_sum_of_minus_0_is_0(fields: str, bottoms: str) -> None:
    """Caffe adds all bottoms to 0."""
    named = {"a": [-0.0], "b": [-0.0], "c": [0.0], "d": [-0.0]}
    it = subject(layer(fields, bottoms), **{name: named[name] for name in bottoms})
    for flags in ({}, {"inplace": True}, {"second_free": True}):
        (y,) = it.layer.forward(it.bottoms(), [], it.run(**flags))
        assert (1 / y).tolist() == [math.inf]


def test_refusals() -> None:
    assert "equal shapes" in refusal(layer(), a=(2, 3), b=(3, 2))
    assert "coeff is given with operation PROD" in refusal(layer("operation: PROD coeff: 1 coeff: 1"), a=(2,), b=(2,))
    assert "coeff is given 1 times for 2 bottoms" in refusal(layer("coeff: 1"), a=(2,), b=(2,))
    assert "takes at least 2 bottom blob(s), 1 given" in refusal(layer(bottoms="a"), a=(2,))
    assert "takes at least 2 bottom blob(s), 1 given" in refusal(layer("operation: MAX", "a"), a=(2,))


def test_single_bottom_of_flownet() -> None:
    check_layer(layer("coeff: 20", "a"), a=(2, 3))
    it = subject(layer("coeff: -0.5", "a"), a=[2.0, -4.0, 0.0])
    assert it.forward()[0].tolist() == [-1, 2, 0]
    same = subject(layer("coeff: 1", "a"), a=[2.0])
    (bottom,) = same.bottoms()
    (top,) = same.layer.forward([bottom], [], same.run())
    assert top.data_ptr() != bottom.data_ptr()


@pytest.mark.parametrize("short", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("top", ["y", "a"])
def test_16_bits_take_factors_that_they_do_not_hold(top: str, short: torch.dtype) -> None:
    it = subject(layer("coeff: 1 coeff: 1e5 coeff: -1e5", "abc", top), a=[0.0], b=[0.25], c=[0.125])
    (y,) = it.layer.forward([x.to(short) for x in it.bottoms()], [], it.run())
    assert y.item() == pytest.approx(12500, rel=0.01)


@pytest.mark.parametrize("short", [torch.float16, torch.bfloat16])
def test_16_bits_have_a_least_number_of_their_own(short: torch.dtype) -> None:
    it = subject(layer("operation: MAX", "ab", "a"), a=[1.0, 2.0], b=[-math.inf, 3.0])
    (y,) = it.layer.forward([x.to(short) for x in it.bottoms()], [], it.run())
    assert y.tolist() == [torch.finfo(short).min, 3]
