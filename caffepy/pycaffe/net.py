"""caffe.Net: a net whose every blob can be read, written and run through, forward and backward."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from caffepy.engine.arena import Arena
from caffepy.engine.initialise import initialise
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.engine.weights import copy_trained_layers, save, save_hdf5
from caffepy.errors import UsageError, nearest
from caffepy.net import compile as compile_net
from caffepy.net.graph import Graph, Node
from caffepy.proto.text import read_net
from caffepy.pycaffe.blob import Array, Blob
from caffepy.pycaffe.state import state

Hook = Callable[[str], None]


class LayerView:
    """One layer as scripts see it: ``type`` and its parameter ``blobs``."""

    def __init__(self, node: Node, blobs: Sequence[Blob]) -> None:
        self.type = node.type
        self.blobs = list(blobs)


class Net:
    """A net for one phase.

    ``Net(prototxt, phase, level=0, stages=None, weights=None)`` or, as in old scripts, ``Net(prototxt, weights, phase)``.
    ``blobs``, ``params``: name → Blob, name → list of Blob, in the order of the net. Errors: CaffeError.
    """

    def __init__(
        self,
        network_file: str,
        *args: Any,
        phase: int | None = None,
        level: int = 0,
        stages: Sequence[str] | None = None,
        weights: str | None = None,
    ) -> None:
        given = list(args)
        if given and isinstance(given[0], (str, os.PathLike)):
            weights = os.fspath(given.pop(0))
        if given:
            phase = int(given.pop(0))
        if given:
            level = int(given.pop(0))
        if phase is None:
            raise UsageError(f"Net('{network_file}'): no phase given; needed: caffe.TRAIN or caffe.TEST")
        message, where = read_net(os.fspath(network_file))
        message.state.phase = phase
        message.state.level = level
        message.state.stage.extend(stages or [])
        self._build(compile_net(message, where=where.where))
        if weights is not None:
            self.copy_from(weights)

    @classmethod
    def of_engine(cls, engine: LayerwiseEngine) -> Net:
        """The net of a running solver."""
        net = cls.__new__(cls)
        net._adopt(engine)
        return net

    def _build(self, graph: Graph) -> None:
        arena = Arena(graph, device=state.device)
        initialise(graph, arena, state.random)
        self._adopt(LayerwiseEngine(graph, arena, state.random))

    def _adopt(self, engine: LayerwiseEngine) -> None:
        self._engine = engine
        self.blobs: OrderedDict[str, Blob] = OrderedDict((name, Blob(blob)) for name, blob in engine.blobs.items())
        self.params: OrderedDict[str, list[Blob]] = OrderedDict(
            (node.name, [Blob(engine.params[p]) for p in node.params]) for node in self._graph.nodes if node.params
        )
        self._hooks: dict[str, list[Hook]] = {"before_forward": [], "after_forward": [], "before_backward": [], "after_backward": []}

    @property
    def _graph(self) -> Graph:
        return self._engine.graph

    @property
    def name(self) -> str:
        """The name in the prototxt."""
        return self._graph.name

    @property
    def inputs(self) -> list[str]:
        """Names of the blobs of Input layers."""
        return [self._graph.values[v].name for v in self._graph.inputs]

    @property
    def outputs(self) -> list[str]:
        """Names of the output blobs, in Caffe's order."""
        return [self._graph.values[v].name for v in self._graph.outputs]

    @property
    def _layer_names(self) -> list[str]:
        return [node.name for node in self._graph.nodes]

    @property
    def layers(self) -> list[LayerView]:
        """Every layer, the automatic Split ones included."""
        return [LayerView(node, [Blob(self._engine.params[p]) for p in node.params]) for node in self._graph.nodes]

    @property
    def layer_dict(self) -> OrderedDict[str, LayerView]:
        """Layer name → layer."""
        return OrderedDict(zip(self._layer_names, self.layers))

    @property
    def top_names(self) -> OrderedDict[str, list[str]]:
        """Layer name → names of its tops."""
        return OrderedDict((n.name, [self._graph.values[v].name for v in n.tops]) for n in self._graph.nodes)

    @property
    def bottom_names(self) -> OrderedDict[str, list[str]]:
        """Layer name → names of its bottoms."""
        return OrderedDict((n.name, [self._graph.values[v].name for v in n.bottoms]) for n in self._graph.nodes)

    @property
    def blob_loss_weights(self) -> OrderedDict[str, float]:
        """Blob name → its loss weight."""
        return OrderedDict((name, self._graph.loss_weight(v)) for name, v in self._graph.final.items())

    def forward(
        self, blobs: Sequence[str] | None = None, start: str | None = None, end: str | None = None, **kwargs: Any
    ) -> dict[str, Array]:
        """Run the layers ``start`` to ``end`` (names, inclusive; default: all). ``kwargs``: values of every input blob.

        Returns name → values (live views) of the outputs, or of the tops of ``end``, and of ``blobs``.
        """
        first = self._layer_names.index(self._known(start)) if start is not None else 0
        last = self._layer_names.index(self._known(end)) if end is not None else None
        shown = list(self.top_names[end]) if end is not None else self.outputs
        if kwargs:
            if set(kwargs) != set(self.inputs):
                raise UsageError(f"Net.forward: input blobs {sorted(kwargs)} given; needed: {sorted(self.inputs)}")
            for name, array in kwargs.items():
                self._fill(name, array)
        self._engine.forward(first, last, around=self._around("forward"))
        return {name: self.blobs[name].data for name in [*shown, *(blobs or [])]}

    def backward(
        self, diffs: Sequence[str] | None = None, start: str | None = None, end: str | None = None, **kwargs: Any
    ) -> dict[str, Array]:
        """Run backward from layer ``start`` (default: the last) down to ``end``. ``kwargs``: diffs of the output blobs.

        Returns name → diff (live views) of the inputs, or of the bottoms of ``end``, and of ``diffs``.
        """
        first = self._layer_names.index(self._known(start)) if start is not None else None
        last = self._layer_names.index(self._known(end)) if end is not None else 0
        shown = list(self.bottom_names[end]) if end is not None else self.inputs
        if kwargs:
            needed = self.top_names[start] if start is not None else self.outputs
            if set(kwargs) != set(needed):
                raise UsageError(f"Net.backward: top diffs {sorted(kwargs)} given; needed: {sorted(needed)}")
            for name, array in kwargs.items():
                diff = self.blobs[name].diff
                diff[...] = np.asarray(array, np.float32).reshape(diff.shape)
        self._engine.backward(first, last, around=self._around("backward"))
        return {name: self.blobs[name].diff for name in [*shown, *(diffs or [])]}

    def reshape(self) -> None:
        """Carry the shapes of the input blobs through the net."""
        self._engine.reshape()

    def copy_from(self, weights: str) -> None:
        """Take the parameters of the layers with the same names from a caffemodel (binary or HDF5)."""
        copy_trained_layers(self._graph, self._engine.arena, os.fspath(weights))

    def save(self, path: str) -> None:
        """Write the net and its parameters as a caffemodel."""
        save(os.fspath(path), self._graph, self._engine.arena)

    def save_hdf5(self, path: str) -> None:
        """Write the parameters as HDF5."""
        save_hdf5(os.fspath(path), self._graph, self._engine.arena)

    def load_hdf5(self, path: str) -> None:
        """Read parameters that `save_hdf5` wrote."""
        self.copy_from(path)

    def share_with(self, other: Net) -> None:
        """Use the parameters of ``other`` for the layers with the same names, from now on."""
        arena = Arena(self._graph, device=state.device, share=other._engine.arena)
        self._adopt(LayerwiseEngine(self._graph, arena, state.random))

    def set_input_arrays(self, data: Array, labels: Array) -> None:
        """Feed the first layer, a MemoryData layer, from arrays (N, C, H, W) and (N,)."""
        source = self._graph.sources.get(0)
        if source is None or not hasattr(source, "set_arrays"):
            raise UsageError("set_input_arrays: the first layer is no MemoryData layer")
        source.set_arrays(data, labels)

    def before_forward(self, hook: Hook) -> None:
        """Call ``hook(layer name)`` before each layer's forward."""
        self._hooks["before_forward"].append(hook)

    def after_forward(self, hook: Hook) -> None:
        """Call ``hook(layer name)`` after each layer's forward."""
        self._hooks["after_forward"].append(hook)

    def before_backward(self, hook: Hook) -> None:
        """Call ``hook(layer name)`` before each layer's backward."""
        self._hooks["before_backward"].append(hook)

    def after_backward(self, hook: Hook) -> None:
        """Call ``hook(layer name)`` after each layer's backward."""
        self._hooks["after_backward"].append(hook)

    def _around(self, direction: str) -> Callable[[Node, bool], None] | None:
        before, after = self._hooks[f"before_{direction}"], self._hooks[f"after_{direction}"]
        if not before and not after:
            return None

        def call(node: Node, done: bool) -> None:
            for hook in after if done else before:
                hook(node.name)

        return call

    def _fill(self, name: str, array: Any) -> None:
        values = np.asarray(array, np.float32)
        if values.shape[:1] != self.blobs[name].shape[:1]:
            raise UsageError(f"Net.forward: input '{name}' has {values.shape[:1]} items; the blob has {self.blobs[name].shape[:1]}")
        self.blobs[name].data[...] = values

    def _known(self, layer: str) -> str:
        if layer not in self._layer_names:
            raise UsageError(f"'{layer}' is no layer of net '{self.name}'{nearest(layer, self._layer_names)}")
        return layer
