"""Large products by oneDNN, small ones by torch's own: the same numbers, the same gradients."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from caffepy.layers.core import products
from caffepy.layers.core.products import LEAST, is_large, linear, multiply

SIZES = [(1, 2048, 1100), (7, 640, 512), (100, 800, 500), (3, 5, 4), (0, 2048, 1100)]


def tensors(rows: int, inputs: int, outputs: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(rows)
    shapes = ((rows, inputs), (outputs, inputs), (outputs,))
    return [torch.randn(shape, generator=generator).div_(inputs**0.5).requires_grad_() for shape in shapes]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("transposed", [True, False])
@pytest.mark.parametrize("size", SIZES)
def test_values_and_gradients_are_those_of_torch(size: tuple[int, int, int], transposed: bool, bias: bool) -> None:
    found = []
    for function in (linear, F.linear):
        x, weight, shift = tensors(*size)
        weight_given = weight.detach().t().contiguous().requires_grad_() if transposed else weight
        y = function(x, weight_given.t() if transposed else weight_given, shift if bias else None)
        y.backward(torch.linspace(-1, 1, y.numel()).view(y.shape))
        found.append((y, x.grad, weight_given.grad, *([shift.grad] if bias else [])))
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=2e-6)


def test_sequences_and_no_gradients() -> None:
    x, weight, shift = tensors(60, 300, 200)
    with torch.no_grad():
        found = linear(x.view(5, 12, 300), weight, shift)
        torch.testing.assert_close(found, F.linear(x.view(5, 12, 300), weight, shift), rtol=1e-5, atol=2e-6)
        torch.testing.assert_close(multiply(x.t(), x), x.t() @ x, rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(multiply(x, weight.t()), x @ weight.t(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_stays_so(value: float) -> None:
    x, weight, shift = (t.detach() for t in tensors(64, 300, 200))
    x[3, 5] = value
    assert torch.equal(linear(x, weight, shift).isfinite(), F.linear(x, weight, shift).isfinite())


def test_who_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[torch.Size] = []
    plain = products._call
    monkeypatch.setattr(products, "_call", lambda x, w, b: called.append(x.shape) or plain(x, w, b))
    assert is_large(LEAST)
    assert not is_large(LEAST - 1)
    large, small = tensors(7, 640, 512), tensors(3, 5, 4)
    linear(*large)
    linear(*small)
    linear(*(t.bfloat16() for t in large))
    linear(*(t.double() for t in large))
    assert called == [torch.Size((7, 640))]
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    linear(*large)
    assert len(called) == 1
