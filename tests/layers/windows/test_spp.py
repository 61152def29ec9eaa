"""SPP."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str) -> str:
    return f'layer {{ name: "l" type: "SPP" bottom: "x" top: "y" spp_param {{ {fields} }} }}'


@pytest.mark.parametrize("pool", ["MAX", "AVE"])
@pytest.mark.parametrize(
    ("height", "shape", "top"), [(1, (2, 2, 3, 4), (2, 2, 1, 1)), (2, (2, 2, 3, 4), (2, 10)), (3, (1, 2, 7, 6), (1, 42))]
)
def test_layer(height: int, shape: tuple[int, ...], top: tuple[int, ...], pool: str) -> None:
    it = check_layer(layer(f"pyramid_height: {height} pool: {pool}"), x=shape)
    assert it.graph.values[-1].shape == top


def test_levels_from_coarse_to_fine() -> None:
    (y,) = tops(layer("pyramid_height: 2"), x=torch.arange(16.0).reshape(1, 1, 4, 4))
    assert y.tolist() == [[15, 5, 7, 13, 15]]


def test_an_engine_has_no_meaning() -> None:
    """Caffe's layer makes its own Pooling layers, without one."""
    check_layer(layer("pyramid_height: 2 engine: CUDNN"), x=(1, 2, 4, 4))


def test_refusals() -> None:
    assert "pyramid_height is 0" in refusal(layer("pyramid_height: 0"), x=(1, 1, 2, 2))
    assert "bottom has 3 axes; needed: 4" in refusal(layer("pyramid_height: 1"), x=(1, 2, 2))
    assert "needed: a pad below the window" in refusal(layer("pyramid_height: 3"), x=(1, 1, 5, 5))
