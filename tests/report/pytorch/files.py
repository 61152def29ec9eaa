"""Nets written as Python files, run in this process, which is quicker than one of their own."""

from __future__ import annotations

from collections.abc import Mapping

from caffepy.engine.arena import Arena
from caffepy.engine.initialise import initialise
from caffepy.engine.weights import arrays_of, tensors_of
from caffepy.layers.core.random import CaffeRandom
from caffepy.net import Graph, compile
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.report.offline import Shapes
from caffepy.report.pytorch.check import Difference, compare
from caffepy.report.pytorch.export import Exported, to_pytorch
from tools.campaign.pytorch import run_here

Sizes = Mapping[str, tuple[int, ...]]


def graph_of(text: str, shapes: Sizes | None = None, *, train: bool = False) -> Graph:
    """The compiled net; ``shapes``: of the tops of data layers that have no data."""
    net = caffe_pb2.NetParameter()
    parse(text, net, file="net.prototxt")
    net.state.phase = caffe_pb2.TRAIN if train else caffe_pb2.TEST
    return compile(net, opener=Shapes(dict(shapes or {})).open)


def exported(text: str, shapes: Sizes | None = None, *, train: bool = False) -> tuple[Exported, Arena]:
    """The file of a net with random parameters."""
    graph = graph_of(text, shapes, train=train)
    arena = Arena(graph)
    initialise(graph, arena, CaffeRandom(7))
    return to_pytorch(graph, arrays_of(arena), source="net.prototxt", weights="net.safetensors"), arena


def differences(text: str, shapes: Sizes | None = None, *, train: bool = False, double: bool = False) -> list[Difference]:
    """How far the file's results are from ours."""
    made, arena = exported(text, shapes, train=train)
    return compare(made, tensors_of(arena), double=double, run=run_here)


def assert_same(text: str, shapes: Sizes | None = None, *, train: bool = False) -> None:
    """In float64 the file computes what the net does, but for fields of float32 that it has in decimals, such as eps."""
    for found in differences(text, shapes, train=train, double=True):
        assert found.relative < 2e-6, found
