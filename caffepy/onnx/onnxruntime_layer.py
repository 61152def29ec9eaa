"""TEST nets whose layers onnxruntime or OpenVINO computes, as one layer of the net."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.arena import Arena
from caffepy.engine.engines import Engine, hookable
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.engine.predictions import Part, body
from caffepy.engine.weights import arrays_of
from caffepy.engine.whole import WholeEngine
from caffepy.engine_names import ONNXRUNTIME, OPENVINO
from caffepy.errors import CaffeError, LayerError, NetError
from caffepy.extras import why_not_imported
from caffepy.layers.core.base import Layer, Run, Shape, at_least
from caffepy.net.graph import Graph, Node
from caffepy.proto import caffe_pb2

if TYPE_CHECKING:
    from caffepy.onnx.openvino_session import OpenVinoSession
    from caffepy.onnx.session import Pass, Session

    AnySession: TypeAlias = Session | OpenVinoSession

T = TypeVar("T")

SESSIONS = 16
"""Kept for inputs of as many shapes, the batch aside.

A session holds all parameters.
"""
BEYOND = {
    "Filter": "the values decide how many items it gives",
    "LSTM": "it keeps its state from batch to batch",
    "Python": "it works on the blobs themselves",
    "RNN": "it keeps its state from batch to batch",
}
"""Layers that a pass by a runtime would compute differently, and why."""


class OnnxRuntimeLayer(Layer):
    """A part of a net, run by onnxruntime or OpenVINO.

    The parameters are those that the arena had in the first pass, or in the first after `forget`.

    Bottom: the inputs of the part.
    Top:    its outputs.
    Params: none that the net knows of; they are inside
    Differs from torch: sums are rounded in another order; NaN may become 0 in a ReLU that is
            merged into a convolution.
    Source: onnxruntime, OpenVINO
    """

    type = "OnnxRuntime"
    bottoms = at_least(0)
    tops = at_least(1)

    def __init__(self, part: Part, arena: Arena, runtime: str = ONNXRUNTIME) -> None:
        bottom = [part.name(value) for value in part.inputs]
        top = [part.name(value) for value in part.outputs]
        super().__init__(
            caffe_pb2.LayerParameter(name=runtime, type=self.type, bottom=bottom, top=top),
            part.graph.phase,
        )
        self._part = part
        self._arena = arena
        self._runtime = runtime
        self._sessions = [self._session()]
        self._latest: tuple[list[torch.Size], Pass] | None = None

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """As the layers of the part say."""
        if [tuple(shape) for shape in bottoms] != list(self._part.input_shapes().values()):
            self._part = self._part.reshaped(dict(zip(self._part.inputs, bottoms)))
        return tuple(self._part.shape(value) for value in self._part.outputs)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The tops, in memory of their own."""
        shapes = [x.shape for x in bottoms]
        if self._latest is None or self._latest[0] != shapes:
            self._latest = shapes, self._that_takes(shapes).prepared(bottoms)
        return tuple(self._latest[1](bottoms))

    def _that_takes(self, shapes: Sequence[Shape]) -> AnySession:
        session = next((kept for kept in self._sessions if kept.takes(shapes)), None)
        if session is None:
            session = self._session()
            self._sessions = [*self._sessions, session][-SESSIONS:]
        return session

    def forget(self, arena: Arena | None = None) -> None:
        """The parameters have changed; or those of another ``arena`` are used from now on."""
        self._arena = arena or self._arena
        self._sessions.clear()
        self._latest = None

    def _session(self) -> AnySession:
        from caffepy.onnx.model import to_onnx

        model = to_onnx(self._part, arrays_of(self._arena)).model
        if self._runtime == OPENVINO:
            from caffepy.onnx.openvino_session import OpenVinoSession

            return OpenVinoSession(model)
        from caffepy.onnx.session import Session

        return Session(model)


def with_runtime(
    graph: Graph, arena: Arena, runtime: str = ONNXRUNTIME, *, blobs: Collection[str] = ()
) -> Graph:
    """``graph`` with one OnnxRuntime layer in place of all that is computed before the losses.

    The values are the same. Of the blobs of the layers that it replaces it gives those that others
    read, the net's outputs, and ``blobs``.
    Errors: CaffeError where a layer has no ONNX form, or would not compute the same.
    """
    if arena.device.type != "cpu":
        raise NetError("it is on a GPU")
    part, rest = body(graph, blobs)
    for node in (*part.nodes, *rest):
        reason = BEYOND.get(node.type, "")
        if node.type == "BatchNorm" and node.layer.batches.statistics:
            reason = "it counts each batch into its statistics"
        if reason:
            raise LayerError(f"layer '{node.name}' ({node.type}): {reason}")
    given = [graph.values[value].name for value in part.outputs]
    made = {*part.outputs, *(value for node in rest for value in node.tops)}
    lost = [
        graph.values[value].name
        for value in (*graph.outputs, *(graph.final[name] for name in blobs))
        if value not in made
    ]
    lost += [name for name in given if given.count(name) > 1]
    if lost:
        raise LayerError(f"blob '{lost[0]}' is overwritten or copied on the way")
    whole = Node(
        index=0,
        name=runtime,
        type=OnnxRuntimeLayer.type,
        layer=OnnxRuntimeLayer(part, arena, runtime),
        bottoms=part.inputs,
        tops=part.outputs,
        params=(),
        in_place=False,
        backward=False,
        propagate_down=(False,) * len(part.inputs),
        param_gradients=(),
        loss_weights=tuple(graph.loss_weight(value) for value in part.outputs),
    )
    first = [node for node in rest if not node.bottoms]
    nodes = [*first, whole, *(node for node in rest if node.bottoms)]
    sources = {
        index: graph.sources[node.index]
        for index, node in enumerate(nodes)
        if node is not whole and node.index in graph.sources
    }
    return replace(
        graph,
        nodes=tuple(replace(node, index=index) for index, node in enumerate(nodes)),
        sources=sources,
    )


def whole_by(engine: Engine, runtime: str) -> WholeEngine:
    """An engine for the same TEST net, with the parameters that it has now, by ``runtime``.

    CaffeError or ImportError where that fails.
    """
    if not hookable(engine):
        raise NetError("it is run layer by layer, or on a GPU")
    graph = with_runtime(engine.graph, engine.arena, runtime)
    return WholeEngine(graph, engine.arena, engine.runs[0].random)


def by_runtime(engine: Engine, runtime: str = ONNXRUNTIME) -> Engine:
    """`whole_by`. Where that fails, ``engine`` itself, and a line in the log."""
    return attempt(engine.graph, runtime, lambda: whole_by(engine, runtime)) or engine


def layers_by(engine: LayerwiseEngine, blobs: Collection[str], runtime: str) -> LayerwiseEngine:
    """The same for an engine that shows these ``blobs`` after a pass.

    Of the others it shows those that are not computed inside the layer.
    """
    graph = with_runtime(engine.graph, engine.arena, runtime, blobs=blobs)
    return LayerwiseEngine(graph, engine.arena, engine.runs[0].random)


def blobs_by_runtime(
    engine: LayerwiseEngine, blobs: Collection[str], runtime: str = ONNXRUNTIME
) -> LayerwiseEngine:
    """`layers_by`. Where that fails, ``engine`` itself, and a line in the log."""
    return attempt(engine.graph, runtime, lambda: layers_by(engine, blobs, runtime)) or engine


def attempt(graph: Graph, runtime: str, make: Callable[[], T]) -> T | None:
    """``make()``; nothing and a line in the log where the runtime cannot run the net."""
    try:
        return make()
    except ImportError as error:
        reason = why_not_imported(error)
    except CaffeError as error:
        reason = str(error)
    log.warning("onnxruntime_layer.py:0", f"Net '{graph.name}' runs without {runtime}: {reason}")
    return None
