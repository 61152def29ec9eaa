"""Layers in place whose gradient Caffe takes at the top's values: f'(f(x)) * dy, where a layer of its own has f'(x) * dy."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from caffepy.engine.inplace import node_forward
from caffepy.layers.base import Run
from caffepy.layers.random import CaffeRandom
from tests.engine.build import TRAIN, graph_of

IN_PLACE = {
    "BNLL": ("", lambda x: x.sigmoid(), lambda x: (1 + x.exp()).log()),
    "Clip": ("clip_param { min: -0.5 max: 0.75 }", lambda x: ((x >= -0.5) & (x <= 0.75)).float(), lambda x: x.clamp(-0.5, 0.75)),
}


def gradient(type_name: str, body: str, top: str) -> tuple[Tensor, Tensor, Tensor]:
    """x, f(x) and df/dx for dy = 1 of one layer that reads blob ``a`` and writes ``top``."""
    graph = graph_of(
        f"""force_backward: true
layer {{ name: "in" type: "Input" top: "in" input_param {{ shape {{ dim: 2 dim: 9 }} }} }}
layer {{ name: "a" type: "Flatten" bottom: "in" top: "a" }}
layer {{ name: "f" type: "{type_name}" bottom: "a" top: "{top}" {body} }}"""
    )
    x = torch.linspace(-1, 1, 18).view(2, 9).requires_grad_()
    (y,) = node_forward(graph.node("f"))([x * 1], [], Run(TRAIN, CaffeRandom(1)))
    value = y.detach().clone()
    y.sum().backward()
    assert x.grad is not None
    return x.detach(), value, x.grad


@pytest.mark.parametrize("type_name", IN_PLACE)
def test_gradient_in_place_is_that_at_the_top(type_name: str) -> None:
    body, slope, f = IN_PLACE[type_name]
    x, y, dx = gradient(type_name, body, "a")
    torch.testing.assert_close(y, f(x))
    torch.testing.assert_close(dx, slope(y))


@pytest.mark.parametrize("type_name", IN_PLACE)
def test_gradient_of_a_top_of_its_own_is_the_true_one(type_name: str) -> None:
    body, slope, f = IN_PLACE[type_name]
    x, y, dx = gradient(type_name, body, "b")
    torch.testing.assert_close(y, f(x))
    torch.testing.assert_close(dx, slope(x))


def test_other_layers_keep_their_own_forward() -> None:
    graph = graph_of("""layer { name: "in" type: "Input" top: "a" input_param { shape { dim: 2 } } }
layer { name: "r" type: "ReLU" bottom: "a" top: "a" }""")
    node = graph.node("r")
    assert node_forward(node) == node.layer.forward
