"""From a net's definition to an engine that is ready to run: compiled, opened, filled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine import debug_info
from caffepy.engine.arena import Arena
from caffepy.engine.captured import CapturedEngine
from caffepy.engine.initialise import initialise
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.engine.layout import prefers_channels_last
from caffepy.engine.numerics import Numerics
from caffepy.engine.output import Output
from caffepy.engine.plan import overwrites_seed, overwrites_standing
from caffepy.engine.progress import Progress
from caffepy.engine.whole import WholeEngine
from caffepy.layers.base import TRAIN, Layer, Run
from caffepy.layers.random import CaffeRandom
from caffepy.net import compile as compile_net
from caffepy.net.definition import Definition
from caffepy.net.graph import Graph

AUTO, WHOLE, LAYERWISE = "auto", "whole", "layerwise"


class Engine(Protocol):
    """What the solver asks of an engine; see `WholeEngine` and `LayerwiseEngine`."""

    graph: Graph
    arena: Arena
    runs: list[Run]
    progress: Progress

    def forward(self) -> Tensor | float:
        """A pass without gradients; the loss."""

    def forward_backward(self) -> Tensor:
        """A pass with gradients, which add up; the loss, a 0-axis tensor."""

    def outputs(self) -> Sequence[Output]:
        """The output blobs of the last pass."""

    def gradients(self) -> Sequence[Tensor | None]:
        """Of each learnable parameter; None: zero."""

    def clear_gradients(self) -> None:
        """Begin a new sum."""


@dataclass(frozen=True)
class Factory:
    """Makes engines with one random stream, in the order in which Caffe builds its nets.

    ``kind``: ``auto``, ``whole`` or ``layerwise``; auto is captured on a GPU, whole on a CPU, and layerwise where neither can run
    the net as Caffe does. ``opener(layer)``: opens a data layer's source, by default with all its records.
    ``numerics``: of the fast engines; the layerwise one computes in float32.
    """

    device: torch.device
    random: CaffeRandom
    kind: str = AUTO
    opener: Callable[[Layer], Any] | None = None
    numerics: Numerics = field(default_factory=Numerics)

    def make(self, definition: Definition, *, share: Arena | None = None, weights: Sequence[str] = ()) -> Engine:
        """Compile the net, open its sources, fill its parameters.

        ``share``: the train net's arena, for a test net. ``weights``: the files that the caller copies next.
        """
        return self.make_on(self._compile(definition), share=share, weights=weights)

    def make_on(self, graph: Graph, *, share: Arena | None = None, weights: Sequence[str] = ()) -> Engine:
        """The same for a net that is compiled: with the layers and sources of another engine of it, too, but not while that runs."""
        obstacle = layerwise_obstacle(graph) if self.kind != LAYERWISE else ""
        if obstacle and self.kind == WHOLE:
            log.warning("engines.py:0", f"Net '{graph.name}' runs as a whole as asked, not layer by layer as in Caffe, though {obstacle}.")
        elif obstacle:
            log.info("engines.py:0", f"Net '{graph.name}' runs layer by layer: {obstacle}.")
        if self.kind == LAYERWISE or (obstacle and self.kind == AUTO):
            return self._layerwise(graph, share, weights)
        gpu = self.device.type == "cuda"
        # torch's pooling adds up gradients in any order on a GPU with channels last
        short = self.numerics.short
        channels_last = prefers_channels_last(graph, self.device, short=short is not None) and not (gpu and self.numerics.deterministic)
        arena = self._arena(graph, share, weights, channels_last=channels_last)
        fast = CapturedEngine if self.kind == AUTO and gpu else WholeEngine
        return fast(graph, arena, self.random, channels_last=channels_last, short=short)

    def make_layerwise(self, definition: Definition, *, weights: Sequence[str] = ()) -> LayerwiseEngine:
        """The net for who looks at its layers one by one, whatever ``kind`` says. ``weights``: see `make`."""
        return self._layerwise(self._compile(definition), None, weights)

    def _compile(self, definition: Definition) -> Graph:
        graph = compile_net(definition.message, where=definition.where, opener=self.opener)
        for source in graph.sources.values():
            source.pool.pinned = self.device.type == "cuda"
        return graph

    def _layerwise(self, graph: Graph, share: Arena | None, weights: Sequence[str]) -> LayerwiseEngine:
        return LayerwiseEngine(graph, self._arena(graph, share, weights, channels_last=False), self.random)

    def _arena(self, graph: Graph, share: Arena | None, weights: Sequence[str], *, channels_last: bool) -> Arena:
        arena = Arena(graph, device=self.device, channels_last=channels_last, share=share)
        initialise(graph, arena, self.random, weights=weights)
        return arena


def layerwise_obstacle(graph: Graph) -> str:
    """Why only the layerwise engine can run this net as Caffe does, in words; empty if any can."""
    for node in graph.nodes:
        if node.type == "Python":
            return f"layer '{node.name}' (Python) works on the blobs themselves"
    if graph.inputs:
        return f"input '{graph.values[graph.inputs[0]].name}' has no source"
    if graph.phase == TRAIN and (found := overwrites_seed(graph)):
        blob = graph.values[found.tops[0]].name
        return f"layer '{found.name}' overwrites in place the diff of '{blob}', which as in Caffe no pass sets to the loss weight again"
    if found := overwrites_standing(graph):
        return f"layer '{found.name}' overwrites in place '{graph.values[found.tops[0]].name}', which as in Caffe is filled only once"
    return "debug_info shows every blob" if graph.debug_info else ""


def forward(engine: Engine, *, debug: bool = False) -> Tensor:
    """A pass without gradients; the loss, a 0-axis tensor. ``debug``: with debug_info's lines."""
    if debug and isinstance(engine, LayerwiseEngine):
        return debug_info.forward(engine)
    return torch.as_tensor(engine.forward())


def forward_backward(engine: Engine, *, debug: bool = False) -> Tensor:
    """A pass with gradients; the loss, a 0-axis tensor. ``debug``: with debug_info's lines."""
    if debug and isinstance(engine, LayerwiseEngine):
        return debug_info.forward_backward(engine)
    return engine.forward_backward()


def frozen(engine: Engine) -> AbstractContextManager[None]:
    """The caller leaves the parameters as they are inside: what the CPU's fast engine derives from them is kept from pass to pass."""
    return engine.frozen() if type(engine) is WholeEngine else nullcontext()


def images_per_pass(graph: Graph) -> int:
    """Items in a batch: the first axis of the first source or input; 0 if there is none."""
    for node in graph.nodes:
        if not node.bottoms and node.tops and graph.values[node.tops[0]].shape:
            return graph.values[node.tops[0]].shape[0]
    return 0


def close(engine: Engine) -> None:
    """Give back the files and threads of the engine's sources."""
    for source in engine.graph.sources.values():
        source.close()
