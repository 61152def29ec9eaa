"""Which layers are asked for layers behind them."""

from __future__ import annotations

import pytest

from caffepy.engine.fusion.fuse import fuse
from tests.engine.build import TEST, TRAIN, built
from tests.engine.nets import CONV, IMAGE

NET = f"""{IMAGE}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {CONV} }}
layer {{ name: "n" type: "BatchNorm" bottom: "c" top: "n" }}
layer {{ name: "s" type: "Scale" bottom: "n" top: "s" }}
layer {{ name: "r" type: "ReLU" bottom: "s" top: "r" }}
"""


@pytest.mark.parametrize(
    ("phase", "first", "summed", "count"),
    [
        (TEST, "c", True, 4),
        (TEST, "c", False, 3),  # a tiny number in place of a zero might show
        (TRAIN, "c", True, 0),
        (TEST, "n", True, 2),
        (TRAIN, "n", True, 2),
        (TEST, "s", True, 0),
        (TEST, "r", True, 0),
    ],
)
def test_how_many_layers_are_computed_together(phase: int, first: str, summed: bool, count: int) -> None:
    nodes = built(NET, phase).graph.nodes
    names = [node.name for node in nodes]
    layers = [node.layer for node in nodes[names.index(first) :]]
    fused = fuse(layers, only_summed=[summed] * len(layers))
    assert (fused.count if fused else 0) == count
