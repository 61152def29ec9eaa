"""Reorg."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str = "stride: 2") -> str:
    return f'layer {{ name: "l" type: "Reorg" bottom: "x" top: "y" reorg_param {{ {fields} }} }}'


@pytest.mark.parametrize(
    ("fields", "shape", "top"),
    [
        ("stride: 2", (2, 4, 4, 2), (2, 16, 2, 1)),
        ("stride: 1", (1, 2, 2, 3), (1, 2, 2, 3)),
        ("stride: 2 reverse: true", (2, 8, 1, 3), (2, 2, 2, 6)),
    ],
)
def test_layer(fields: str, shape: tuple[int, ...], top: tuple[int, ...]) -> None:
    assert check_layer(layer(fields), x=shape).graph.values[-1].shape == top


def reorganised(x: torch.Tensor, stride: int) -> torch.Tensor:
    """Darknet's loop, element by element."""
    n, c, h, w = x.shape
    flat, out = x.flatten(1), torch.empty(n, c * h * w)
    for k in range(c):
        offset, channel = divmod(k, c // stride**2)
        for j in range(h):
            for i in range(w):
                across, down = i * stride + offset % stride, j * stride + offset // stride
                out[:, i + w * (j + h * k)] = flat[:, across + w * stride * (down + h * stride * channel)]
    return out.reshape(n, c * stride**2, h // stride, w // stride)


@pytest.mark.parametrize(("shape", "stride"), [((2, 8, 4, 6), 2), ((1, 9, 3, 6), 3)])
def test_the_order_is_darknets(shape: tuple[int, ...], stride: int) -> None:
    x = torch.randn(shape)
    assert torch.equal(tops(layer(f"stride: {stride}"), x=x)[0], reorganised(x, stride))


def test_refusals() -> None:
    assert "stride is not given" in refusal(layer(""), x=(1, 4, 2, 2))
    assert "needed: channels that are a multiple of 4" in refusal(layer(), x=(1, 3, 2, 2))
    assert "bottom has 3 axes" in refusal(layer(), x=(4, 2, 2))
    assert "this type cannot work in place" in refusal(
        'layer { name: "l" type: "Reorg" bottom: "x" top: "x" reorg_param { stride: 2 } }', x=(1, 4, 2, 2)
    )
