"""Normalize."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, subject, tops, values


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "Normalize" bottom: "x" top: "y" norm_param {{ {fields} }} }}'


@pytest.mark.parametrize("shape", [(2, 3, 2, 2), (2, 3)])
@pytest.mark.parametrize("fields", ["", "across_spatial: false", "eps: 0.5", "scale_filler { value: 20 }"])
def test_shared_scale(fields: str, shape: tuple[int, ...]) -> None:
    assert check_layer(layer(fields), x=shape).layer.blobs[0].shape == ()


@pytest.mark.parametrize("fields", ["", "across_spatial: false eps: 0.1"])
def test_a_scale_for_each_channel(fields: str) -> None:
    reason = "SSD takes the part along the vector before the scale comes in"
    it = check_layer(layer(f"{fields} channel_shared: false scale_filler {{ type: 'gaussian' }}"), no_gradcheck=reason, x=(2, 3, 2, 2))
    assert it.layer.blobs[0].shape == (3,)


def test_equal_scales_have_the_exact_gradient() -> None:
    check_layer(layer("channel_shared: false scale_filler { value: 3 }"), x=(2, 3, 2, 2))


def test_values() -> None:
    x = torch.tensor([[[[3.0, 0]], [[4, 2]]]])
    assert tops(layer("across_spatial: false scale_filler { value: 10 }"), x=x)[0].flatten().tolist() == pytest.approx([6, 0, 8, 10])
    assert tops(layer("eps: 7"), x=x)[0].flatten().tolist() == pytest.approx([0.5, 0, 4 / 6, 2 / 6])


def test_refusals() -> None:
    assert "bottom has 1 axis" in refusal(layer(), x=(3,))
    it = subject(layer(), x=(2, 3))
    assert it.layer.reshape([(5, 3, 7)]) == ((5, 3, 7),)


def unit(fields: str = "", top: str = "") -> str:
    return f'layer {{ name: "l" type: "Normalize" bottom: "x" top: "y" {top} normalize_param {{ {fields} }} }}'


LENGTH = 'top: "length"'


@pytest.mark.parametrize("shape", [(2, 3, 2, 2), (2, 3), (3,)])
@pytest.mark.parametrize("kind", ["L1", "L2"])
def test_normface(kind: str, shape: tuple[int, ...]) -> None:
    assert check_layer(unit(f'normalize_type: "{kind}"'), x=shape).layer.blobs == ()
    check_layer(unit(f'normalize_type: "{kind}" bp_norm: true', LENGTH), x=shape)
    check_layer(unit(f'normalize_type: "{kind}"', LENGTH), x=shape)


def test_normface_values() -> None:
    x = values((4, 3, 2, 5))
    direction, length = tops(unit(top=LENGTH), x=x)
    torch.testing.assert_close(direction, torch.nn.functional.normalize(x, dim=1), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(length, x.norm(dim=1, keepdim=True), atol=1e-4, rtol=1e-4)
    (direction,) = tops(unit('normalize_type: "L1"'), x=torch.tensor([[3.0, -1, 0, 4]]))
    assert direction.shape == (1, 4, 1, 1)
    assert direction.flatten().tolist() == pytest.approx([3 / 8, -1 / 8, 0, 0.5], rel=1e-5)
    assert tops(unit('normalize_type: "L1"'), x=torch.tensor([[0.0]]))[0].item() == 0
    assert tops(unit(), x=torch.tensor([[1e-6]]))[0].item() == pytest.approx(0.5**0.5)
    assert [top.item() for top in tops(unit(top=LENGTH), x=torch.tensor([[0.0]]))] == [0, pytest.approx(1e-3)]
    assert len(tops(unit(top=LENGTH).replace("normalize_param {  }", ""), x=x)) == 2


def test_a_length_without_bp_norm_has_no_gradient() -> None:
    it = subject(unit(top=LENGTH), x=(2, 3))
    x = it.bottoms()[0].requires_grad_()
    assert [top.requires_grad for top in it.layer.forward([x], [], it.run())] == [True, False]


@pytest.mark.parametrize("kind", ["L1", "L2"])
def test_a_fixed_gradient_is_that_times_the_length(kind: str) -> None:
    x, start = values((3, 4)), values((3, 4), 1)
    (plain,) = gradients(unit(f'normalize_type: "{kind}"'), start, x=x)
    (fixed,) = gradients(unit(f'normalize_type: "{kind}" fix_gradient: true'), start, x=x)
    length = tops(unit(f'normalize_type: "{kind}"', LENGTH), x=x)[1].reshape(3, 1)
    torch.testing.assert_close(fixed, plain * length)
    check_layer(unit(f'normalize_type: "{kind}" fix_gradient: true'), no_gradcheck="it is not divided by the length", x=(2, 3))


def test_normface_refusals() -> None:
    assert "normalize_type is 'L3'" in refusal(unit('normalize_type: "L3"'), x=(2, 3))
    assert "bottom has 5 axes" in refusal(unit(), x=(2, 3, 1, 1, 1))
    assert "norm_param is given with" in refusal(layer().replace("norm_param", "normalize_param { } norm_param"), x=(2, 3))
