"""Nets in text made ready for the tests of reports."""

from __future__ import annotations

from torch import Tensor

from caffepy.engine.arena import Arena
from caffepy.engine.initialise import initialise
from caffepy.engine.predictions import Part, predictions
from caffepy.layers.core.random import CaffeRandom
from caffepy.net import compile
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.report.offline import Shapes


def inputs(**shapes: tuple[int, ...]) -> str:
    """The text of an Input layer with tops of these shapes."""
    tops = " ".join(f'top: "{name}"' for name in shapes)
    dims = " ".join("shape { " + " ".join(f"dim: {n}" for n in shape) + " }" for shape in shapes.values())
    return f'layer {{ name: "in" type: "Input" {tops} input_param {{ {dims} }} }}\n'


def part_of(text: str, shapes: dict[str, tuple[int, ...]] | None = None) -> tuple[Part, dict[int, Tensor]]:
    """The predicting part of a TEST net with its parameters filled; ``shapes``: of the tops of data layers that have no data."""
    net = caffe_pb2.NetParameter()
    parse(text, net, file="net.prototxt")
    net.state.phase = caffe_pb2.TEST
    graph = compile(net, opener=Shapes(shapes or {}).open)
    arena = Arena(graph)
    initialise(graph, arena, CaffeRandom(7))
    return predictions(graph), {i: data.detach().clone() for i, data in enumerate(arena.data)}
