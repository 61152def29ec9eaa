"""What a caffe.Net is made of, by name and by number: its blobs, parameters and layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.layers.custom.python import PythonLayer, UserLayer
from caffepy.net.graph import Graph, Node
from caffepy.pycaffe.blob import Blob, Named, NamedLayers, NamedParams, ParamBlobs
from caffepy.pycaffe.errors import UnknownName
from caffepy.pycaffe.state import state


class LayerView:
    """One layer as scripts see it: ``type`` and its parameter ``blobs``."""

    def __init__(self, node: Node, blobs: Sequence[Blob]) -> None:
        self.type = node.type
        self.blobs = ParamBlobs(blobs)
        self._name = node.name

    def __repr__(self) -> str:
        from caffepy.pycaffe.repr_text import layer_text

        return layer_text(self._name, self.type, self.blobs)

    def _repr_html_(self) -> str:
        """What a notebook shows: the parameters, with pictures of filters."""
        from caffepy.pycaffe.repr_html import layer_html

        return layer_html(repr(self), self.blobs)


class NetParts:
    """The parts of the net that an engine runs; what can be done with it is in `Net`."""

    def _show(self, engine: LayerwiseEngine) -> None:
        self._engine = engine
        graph = engine.graph
        state.has_nets = True
        self.name = graph.name
        self._layer_names = [node.name for node in graph.nodes]
        self.blobs: Named[Blob] = Named((name, Blob(blob)) for name, blob in engine.blobs.items())
        owned = [
            ParamBlobs(Blob(engine.params[p], is_param=True) for p in node.params)
            for node in graph.nodes
        ]
        self.params: NamedParams[ParamBlobs] = NamedParams(
            (n.name, blobs) for n, blobs in zip(graph.nodes, owned) if blobs
        )
        self.layers: list[Any] = [
            self._layer(node, blobs) for node, blobs in zip(graph.nodes, owned)
        ]
        self.inputs = self._names_of(graph.inputs)
        self.outputs = self._names_of(graph.outputs)

    def __repr__(self) -> str:
        from caffepy.pycaffe.repr_text import net_text

        return net_text(type(self).__name__, self._graph if hasattr(self, "_engine") else None)

    def _repr_html_(self) -> str:
        """What a notebook shows: the picture, and a table of the layers."""
        from caffepy.pycaffe.repr_html import net_html

        return net_html(type(self).__name__, self._graph if hasattr(self, "_engine") else None)

    def _layer(self, node: Node, blobs: Sequence[Blob]) -> LayerView | UserLayer:
        if not isinstance(node.layer, PythonLayer):
            return LayerView(node, blobs)
        node.layer.lend([self._engine.params[p].data for p in node.params])
        instance: UserLayer = node.layer.instance
        return instance

    def _names_of(self, values: Iterable[int]) -> list[str]:
        return [self._graph.values[value].name for value in values]

    @property
    def _graph(self) -> Graph:
        return self._engine.graph

    @property
    def _blob_names(self) -> list[str]:
        return list(self.blobs)

    @property
    def _blobs(self) -> list[Blob]:
        return list(self.blobs.values())

    @property
    def _inputs(self) -> list[int]:
        return [self._blob_names.index(name) for name in self.inputs]

    @property
    def _outputs(self) -> list[int]:
        return [self._blob_names.index(name) for name in self.outputs]

    def _top_ids(self, layer: int) -> list[int]:
        """Numbers of the blobs that layer number ``layer`` makes."""
        return [self._blob_names.index(name) for name in self.top_names[self._layer_names[layer]]]

    def _bottom_ids(self, layer: int) -> list[int]:
        """Numbers of the blobs that layer number ``layer`` reads."""
        return [
            self._blob_names.index(name) for name in self.bottom_names[self._layer_names[layer]]
        ]

    @cached_property
    def layer_dict(self) -> NamedLayers[Any]:
        """Layer name → layer."""
        return NamedLayers(zip(self._layer_names, self.layers))

    @cached_property
    def top_names(self) -> NamedLayers[list[str]]:
        """Layer name → names of its tops."""
        return NamedLayers((node.name, self._names_of(node.tops)) for node in self._graph.nodes)

    @cached_property
    def bottom_names(self) -> NamedLayers[list[str]]:
        """Layer name → names of its bottoms."""
        return NamedLayers((node.name, self._names_of(node.bottoms)) for node in self._graph.nodes)

    @cached_property
    def blob_loss_weights(self) -> Named[float]:
        """Blob name → its loss weight."""
        return Named(
            (name, self._graph.loss_weight(self._graph.final[name])) for name in self.blobs
        )

    @property
    def _blob_loss_weights(self) -> list[float]:
        return list(self.blob_loss_weights.values())

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in reversed(list(enumerate(self._layer_names)))}

    def _number(self, layer: str) -> int:
        if not isinstance(layer, str):
            raise UnknownName(f"{layer!r} is no name of a layer")
        if layer not in self._numbers:
            self.top_names[layer]  # raises, with the nearest name
        return self._numbers[layer]
