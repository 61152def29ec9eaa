"""Parameter."""

from __future__ import annotations

import torch

from tests.layers.check import check_layer, refusal


def layer(shape: str) -> str:
    return f'layer {{ name: "l" type: "Parameter" top: "y" parameter_param {{ shape {{ {shape} }} }} }}'


def test_layer() -> None:
    check_layer(layer("dim: 2 dim: 3"))
    check_layer(layer(""))


def test_the_top_is_a_copy() -> None:
    it = check_layer(layer("dim: 3"))
    (blob,) = it.blobs()
    (y,) = it.layer.forward([], [blob], it.run())
    y.add_(1)
    assert torch.equal(y, blob + 1)


def test_refusals() -> None:
    assert "negative dim -2" in refusal(layer("dim: -2"))
