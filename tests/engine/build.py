"""From a net's text to what an engine needs."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from caffepy.engine.arena import Arena
from caffepy.engine.initialise import initialise
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.engine.whole import WholeEngine
from caffepy.layers.core.random import CaffeRandom
from caffepy.net import compile
from caffepy.net.graph import Graph
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse

TRAIN, TEST = 0, 1


@dataclass(frozen=True)
class Built:
    """A net with filled parameters, and the engines on it."""

    graph: Graph
    arena: Arena
    random: CaffeRandom
    channels_last: bool

    @property
    def whole(self) -> WholeEngine:
        """A new fast engine."""
        return WholeEngine(self.graph, self.arena, self.random, channels_last=self.channels_last)

    @property
    def layerwise(self) -> LayerwiseEngine:
        """A new reference engine."""
        return LayerwiseEngine(self.graph, self.arena, self.random)


def graph_of(text: str, phase: int = TRAIN) -> Graph:
    """The compiled net."""
    message = caffe_pb2.NetParameter()
    parse(text, message, file="net.prototxt")
    message.state.phase = phase
    return compile(message)


def built(text: str, phase: int = TRAIN, *, channels_last: bool = False, share: Arena | None = None, seed: int | None = 7) -> Built:
    """The compiled and filled net."""
    graph = graph_of(text, phase)
    arena = Arena(graph, channels_last=channels_last, share=share)
    random = CaffeRandom(seed)
    initialise(graph, arena, random)
    return Built(graph, arena, random, channels_last)


def feeds(batch: int = 4) -> dict[str, Tensor]:
    """A batch for the nets of `nets`: data (batch, 3, 9, 9), label (batch,)."""
    generator = torch.Generator().manual_seed(3)
    return {
        "data": torch.randn(batch, 3, 9, 9, generator=generator),
        "label": torch.tensor([0.0, 4.0, 2.0, 2.0]).repeat(-(-batch // 4))[:batch],
    }


def feed(engine: LayerwiseEngine, arrays: dict[str, Tensor]) -> LayerwiseEngine:
    """The reference engine with these values in its input blobs."""
    for name, tensor in arrays.items():
        engine.blobs[name].data.copy_(tensor)
    return engine


def drawn_feeds(engine: WholeEngine, step: int, streams: int | None) -> dict[str, Tensor]:
    """Batch number ``step``, of so many streams."""
    generator, found = torch.Generator().manual_seed(step), dict[str, Tensor]()
    for value in (engine.graph.values[v] for v in engine.graph.inputs):
        shape = value.shape if streams is None else (value.shape[0], streams, *value.shape[2:])
        drawn = torch.rand(shape, generator=generator)
        found[value.name] = drawn if value.name == "x" else (drawn * 2).floor()
    return found
