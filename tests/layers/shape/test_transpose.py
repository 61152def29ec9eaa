"""Transpose."""

from __future__ import annotations

import torch

from tests.layers.check import check_layer, refusal


def layer(*dims: int) -> str:
    fields = " ".join(f"dim: {dim}" for dim in dims)
    return f'layer {{ name: "l" type: "Transpose" bottom: "x" top: "y" transpose_param {{ {fields} }} }}'


def test_layer() -> None:
    it = check_layer(layer(3, 2, 0, 1), x=(2, 3, 4, 5))
    assert torch.equal(it.forward()[0], it.bottoms()[0].permute(3, 2, 0, 1))


def test_refusals() -> None:
    for dims in ((0, 1, 2), (0, 1, 2, 4), (0, 0, 1, 2), ()):
        assert f"dim is {list(dims)}; needed: the axes 0 to 3, each once" in refusal(layer(*dims), x=(1, 1, 1, 1))
