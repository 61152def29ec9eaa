"""Makes an engine from a net's definition: compiles it, opens its sources, fills its parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, TypeGuard

import torch
from torch import Tensor

from caffepy import log
from caffepy.data.source import Source
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
from caffepy.engine.weights import Array, copy_trained_layers
from caffepy.engine.whole import WholeEngine
from caffepy.layers.core.base import TRAIN, Layer, Run
from caffepy.layers.core.random import CaffeRandom
from caffepy.net import compile as compile_net
from caffepy.net.definition import Definition
from caffepy.net.graph import Graph

BeforeFile: TypeAlias = Callable[[Graph, str], object]
AUTO, WHOLE, LAYERWISE = "auto", "whole", "layerwise"


class Engine(Protocol):
    """What the solver needs of an engine; see `WholeEngine` and `LayerwiseEngine`.

    Some attributes tell what only some engines can do.
    ``shows_blobs``: it has the data and diff of every blob, and runs passes layer by layer.
    ``scales_loss``: it multiplies the loss by its ``loss_scale``.
    ``hookable``: it calls functions that others registered within its passes.
    ``replays``: its passes are recordings.
    """

    graph: Graph
    arena: Arena
    runs: list[Run]
    progress: Progress
    channels_last: bool
    shows_blobs: bool
    scales_loss: bool
    hookable: bool
    replays: bool

    def forward(self) -> Tensor | float:
        """A pass without gradients; the loss."""

    def forward_backward(self) -> Tensor:
        """A pass with gradients, which add up; the loss, a 0-axis tensor."""

    def outputs(self) -> Sequence[Output]:
        """The output blobs of the last pass."""

    def gradients(self) -> Sequence[Tensor | None]:
        """The gradient of each learnable parameter; None is zero."""

    def clear_gradients(self) -> None:
        """Set the gradients to zero."""

    def frozen(self) -> AbstractContextManager[None]:
        """A context in which the caller does not change the parameters.

        The engine may keep what it derives from them from pass to pass.
        """


def shows_blobs(engine: Engine) -> TypeGuard[LayerwiseEngine]:
    """Whether the engine has the data and diff of every blob."""
    return engine.shows_blobs


def scales_loss(engine: Engine) -> TypeGuard[WholeEngine]:
    """Whether the engine multiplies the loss by its ``loss_scale``."""
    return engine.scales_loss


def hookable(engine: Engine) -> TypeGuard[WholeEngine]:
    """Whether the engine calls functions that others registered within its passes."""
    return engine.hookable


def replays(engine: Engine) -> TypeGuard[CapturedEngine]:
    """Whether the passes of the engine are recordings."""
    return engine.replays


@dataclass(frozen=True)
class Setup:
    """Where and how nets run. Nets that are opened one after another share it.

    They are opened in the order in which Caffe builds them, and share the random stream.

    ``kind``: ``auto``, ``whole`` or ``layerwise``. auto is captured on a GPU and whole on a CPU,
    but layerwise if neither can run the net as Caffe does.
    ``opener(layer)``: opens the source of a data layer, by default with all its records.
    ``numerics``: those of the fast engines; the layerwise one computes in float32.
    ``layerwise``: makes the layerwise engine.
    """

    device: torch.device
    random: CaffeRandom
    kind: str = AUTO
    opener: Callable[[Layer], Source] | None = None
    numerics: Numerics = field(default_factory=Numerics)
    layerwise: Callable[[Graph, Arena, CaffeRandom], LayerwiseEngine] = LayerwiseEngine


def open_net(
    definition: Definition,
    weights: Sequence[str] = (),
    *,
    setup: Setup,
    share: Arena | None = None,
    before_file: BeforeFile | None = None,
) -> Engine:
    """Make a net ready to run: compile it, open its sources, fill its parameters.

    Parameters are read from the files ``weights``; those that no file has are filled by fillers.

    ``share``: the train net's arena, for a test net.
    ``before_file``: called with the net and each file before the file is read.
    """
    return open_graph(
        _compiled(definition, setup), weights, setup=setup, share=share, before_file=before_file
    )


def open_layerwise(
    definition: Definition,
    weights: Sequence[str] = (),
    *,
    setup: Setup,
    before_file: BeforeFile | None = None,
) -> LayerwiseEngine:
    """`open_net` with the layerwise engine, whatever ``setup.kind`` says.

    It also takes the diffs that the files have.
    """
    return _layerwise(
        _compiled(definition, setup), weights, setup, share=None, before_file=before_file
    )


def open_graph(
    graph: Graph,
    weights: Sequence[str] = (),
    *,
    setup: Setup,
    share: Arena | None = None,
    before_file: BeforeFile | None = None,
) -> Engine:
    """`open_net` for a net that is already compiled.

    Another engine may have the same graph and so the same layers and sources; only one of them may
    run at a time.
    """
    kind = setup.kind
    numerics = setup.numerics
    obstacle = layerwise_obstacle(graph) if kind != LAYERWISE else ""
    if obstacle and kind == WHOLE:
        log.warning(
            "engines.py:0",
            f"Net '{graph.name}' runs as a whole as asked, not layer by layer as in Caffe,"
            f" though {obstacle}.",
        )
    elif obstacle:
        log.info("engines.py:0", f"Net '{graph.name}' runs layer by layer: {obstacle}.")
    if kind == LAYERWISE or (obstacle and kind == AUTO):
        return _layerwise(graph, weights, setup, share=share, before_file=before_file)
    gpu = setup.device.type == "cuda"
    half = numerics.half
    # On a GPU torch's pooling with channels last sums gradients in no fixed order.
    channels_last = prefers_channels_last(graph, setup.device, half=half is not None) and not (
        gpu and numerics.deterministic
    )
    arena, _ = fill_net(
        graph,
        weights,
        setup=setup,
        share=share,
        channels_last=channels_last,
        before_file=before_file,
    )
    if share is not None and graph.phase == TRAIN:
        arena.learn_borrowed()  # before the engine notes what learns
    fast = CapturedEngine if kind == AUTO and gpu else WholeEngine
    return fast(graph, arena, setup.random, channels_last=channels_last, half=half)


def fill_net(
    graph: Graph,
    weights: Sequence[str] = (),
    *,
    setup: Setup,
    share: Arena | None = None,
    channels_last: bool = False,
    before_file: BeforeFile | None = None,
) -> tuple[Arena, list[tuple[int, Array]]]:
    """The parameters of a compiled net, from fillers and files.

    Returns also the diffs that the files have, see `copy_trained_layers`.
    """
    arena = Arena(graph, device=setup.device, channels_last=channels_last, share=share)
    initialise(graph, arena, setup.random, weights=weights)
    diffs = []
    for file in weights:
        if before_file is not None:
            before_file(graph, file)
        diffs += copy_trained_layers(graph, arena, file, own_only=share is not None)
    return arena, diffs


def _compiled(definition: Definition, setup: Setup) -> Graph:
    graph = compile_net(definition.message, where=definition.where, opener=setup.opener)
    for source in graph.sources.values():
        source.pool.pinned = setup.device.type == "cuda"
    return graph


def _layerwise(
    graph: Graph,
    weights: Sequence[str],
    setup: Setup,
    *,
    share: Arena | None,
    before_file: BeforeFile | None,
) -> LayerwiseEngine:
    arena, diffs = fill_net(graph, weights, setup=setup, share=share, before_file=before_file)
    engine = setup.layerwise(graph, arena, setup.random)
    engine.put_diffs(diffs)
    return engine


def layerwise_obstacle(graph: Graph) -> str:
    """Why only the layerwise engine can run this net as Caffe does, in words; empty if any can."""
    for node in graph.nodes:
        if node.type == "Python":
            return f"layer '{node.name}' (Python) works on the blobs themselves"
    if graph.inputs:
        return f"input '{graph.values[graph.inputs[0]].name}' has no source"
    if graph.phase == TRAIN and (writer := overwrites_seed(graph)):
        blob = graph.values[writer.tops[0]].name
        return (
            f"layer '{writer.name}' overwrites in place the diff of '{blob}',"
            " which as in Caffe no pass sets to the loss weight again"
        )
    if writer := overwrites_standing(graph):
        blob = graph.values[writer.tops[0]].name
        return (
            f"layer '{writer.name}' overwrites in place '{blob}',"
            " which as in Caffe is filled only once"
        )
    return "debug_info shows every blob" if graph.debug_info else ""


def forward(engine: Engine, *, debug: bool = False) -> Tensor:
    """A pass without gradients; the loss, a 0-axis tensor. ``debug``: with debug_info's lines."""
    if debug and shows_blobs(engine):
        return debug_info.forward(engine)
    return torch.as_tensor(engine.forward())


def forward_backward(engine: Engine, *, debug: bool = False) -> Tensor:
    """A pass with gradients; the loss, a 0-axis tensor. ``debug``: with debug_info's lines."""
    if debug and shows_blobs(engine):
        return debug_info.forward_backward(engine)
    return engine.forward_backward()


def images_per_pass(graph: Graph) -> int:
    """Items in a batch: the first axis of the first source or input; 0 if there is none."""
    for node in graph.nodes:
        if not node.bottoms and node.tops and graph.values[node.tops[0]].shape:
            return graph.values[node.tops[0]].shape[0]
    return 0


def close(engine: Engine) -> None:
    """Close the engine's sources, and delete its recordings on a GPU.

    NCCL would wait for recordings that call it when it is shut down.
    """
    if replays(engine):
        engine.close()
    for source in engine.graph.sources.values():
        source.close()
