"""Convolutions of large maps, beside torch's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common.large_maps import convolve_maps, learns_by_maps
from tests.layers.check import subject

MAPS = (1, 16, 136, 121)
LAYER = """layer {{ name: "l" type: "Convolution" bottom: "x" top: "y" convolution_param {{
    num_output: 8 weight_filler {{ type: "xavier" }} {} }} }}"""
WINDOWS = ([2, 1], [1, 2], [1, 2])


def passes(convolve: Callable[..., Tensor], learning: Sequence[bool]) -> list[Tensor | None]:
    """The top, and the gradients of bottom, weight and bias."""
    torch.manual_seed(0)
    given = [torch.randn(shape).requires_grad_(learns) for shape, learns in zip([MAPS, (8, 16, 3, 2), (8,)], learning)]
    x = given[0].contiguous(memory_format=torch.channels_last)
    y = convolve(x, *given[1:], *WINDOWS, 1)
    y.square().sum().backward()
    return [y.detach(), *(each.grad for each in given)]


@pytest.mark.parametrize("learning", [(True, True, True), (False, True, False), (True, False, False), (False, False, True)])
def test_tops_and_gradients_are_torchs(learning: Sequence[bool]) -> None:
    for ours, theirs in zip(passes(convolve_maps, learning), passes(F.conv2d, learning), strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None and theirs is not None:
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5 * float(theirs.abs().max()))


@pytest.mark.parametrize(("capability", "chosen"), [("AVX2", True), ("AVX512", False)])
def test_a_layer_takes_them_without_avx512(monkeypatch: pytest.MonkeyPatch, capability: str, chosen: bool) -> None:
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    found = subject(LAYER.format("kernel_size: 3"), x=MAPS)
    x = found.bottoms()[0]
    (y,) = found.layer.prepared([MAPS])([x], [blob.requires_grad_() for blob in found.blobs()], found.run())
    assert (type(y.grad_fn).__name__ == "_ConvolveBackward") is chosen


def test_what_is_not_faster_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX2")
    assert learns_by_maps(MAPS, (3, 3), 1)
    assert not learns_by_maps(MAPS, (1, 1), 1)
    assert not learns_by_maps(MAPS, (3, 3), 2)
    assert not learns_by_maps((1, 3, 400, 400), (3, 3), 1)
    assert not learns_by_maps((9, 16, 100, 100), (3, 3), 1)
    assert not learns_by_maps((1, 16, 9, 136, 121), (3, 3, 3), 1)
