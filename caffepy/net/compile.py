"""NetParameter and NetState to a Graph, in the order and with the log lines of Caffe's Net."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from caffepy import log
from caffepy.data.shard import Shard
from caffepy.data.source import Source
from caffepy.errors import LayerError, nearest
from caffepy.layers.core.base import Layer, Shape, count, shape_string
from caffepy.layers.core.registry import layer_class, log_creation
from caffepy.net.backward import mark_backward
from caffepy.net.checks import check_bottoms, check_net, check_size, check_tops, check_types
from caffepy.net.filter import filter_net
from caffepy.net.forks import hed, intel, normface, volumes
from caffepy.net.graph import UNKNOWN, Graph, Node, Value
from caffepy.net.initial_blobs import take_initial_blobs
from caffepy.net.layer_errors import layer_errors
from caffepy.net.loss_weights import loss_weights
from caffepy.net.param_table import ParamTable
from caffepy.net.shared_memory import warn_overwritten
from caffepy.net.splits import insert_splits
from caffepy.proto import caffe_pb2
from caffepy.proto.text import to_text

AUTOMATIC = "(automatic)"


def compile(
    message: caffe_pb2.NetParameter,
    *,
    where: Callable[..., str] | None = None,
    opener: Callable[[Layer], Source] | None = None,
    offline: bool = False,
) -> Graph:
    """The graph of a NetParameter (upgraded, with its ``state`` set) for that state.

    ``where("layer", i, "top", 0)``: position of a field in the net's file. ``opener(layer)``: opens
    a data layer's source; by default the layer's own ``open`` with all records. ``offline``: see
    `Layer.offline`.

    Errors: NetError, LayerError and DataError, with position, layer name and type.
    """

    def place(*path: str | int) -> str:
        return where(*path) if where else ""

    filtered, kept = filter_net(message, lambda i, *path: place("layer", i, *path))
    for fork in (hed, intel, normface, volumes):
        fork.adapt(filtered)
    log.info("net.cpp:53", f"Initializing net from parameters: \n{to_text(filtered)}")
    left_out = {}
    for i, layer in enumerate(message.layer):
        if i not in kept:
            left_out.update(dict.fromkeys(layer.top, layer.name))
    split, origins = insert_splits(
        filtered, lambda i, *path: place("layer", kept[i], *path), left_out
    )
    check_net(filtered, place)
    check_types(filtered, lambda i, *path: place("layer", kept[i], *path))
    builder = _Builder(
        split,
        lambda i, *path: place("layer", kept[origins[i]], *path),
        opener or _open_all,
        offline=offline,
    )
    for index in range(len(split.layer)):
        builder.add(index)
    return builder.finish()


class _Builder:
    """The state of a net to which layers are added one after the other."""

    def __init__(
        self,
        message: caffe_pb2.NetParameter,
        place: Callable[..., str],
        opener: Callable[[Layer], Source],
        *,
        offline: bool,
    ) -> None:
        self.message = message
        self.place = place
        self.opener = opener
        self.offline = offline
        self.phase = int(message.state.phase)
        self.nodes: list[Node] = []
        self.values: list[Value] = []
        self.current: dict[str, int] = {}
        self.available: set[str] = set()
        self.value_backward: list[bool] = []
        self.table = ParamTable()
        self.sources: dict[int, Source] = {}
        self.inputs: list[int] = []
        self.memory_bytes = 0

    def _errors_of(self, index: int) -> AbstractContextManager[None]:
        """Errors raised inside name the layer and its position."""
        param = self.message.layer[index]
        return layer_errors(param.name, param.type, lambda *path: self.place(index, *path), param)

    def add(self, index: int) -> None:
        """Add a layer with its tops and parameters; checks and log lines come in Caffe's order."""
        param = self._own_param(index)
        with self._errors_of(index):
            layer = self._create(param)
            bottoms = [self._bottom(index, param, i) for i in range(len(param.bottom))]
            names, in_place = self._name_tops(layer, param)
            sizes = [self.values[b].shape for b in bottoms]
            check_bottoms(sizes)
            shapes = self._shapes(index, layer, sizes, len(names))
            check_tops(param, sizes, shapes)
            take_initial_blobs(layer, self.message.layer[index].blobs)
            for i, spec in enumerate(layer.blobs):
                check_size(f"parameter {i}", spec.shape)
            weights = loss_weights(layer, len(names), self.message)
        tops = [self._top(name, shape) for name, shape in zip(names, shapes)]
        self._log_tops(layer, shapes, weights)
        with self._errors_of(index):
            params, learns = self.table.add(layer, param, self.message.layer[index])
        backward_below = [self.value_backward[b] for b in bottoms]
        needs = learns or any(backward_below)
        for i, t in enumerate(tops):
            top_needs = backward_below[i] if layer.gradients.separate else needs
            self.value_backward[t] = self.value_backward[t] or top_needs
        if param.type == "Input":
            self.inputs += tops
        self.nodes.append(
            Node(
                index=index,
                name=param.name,
                type=param.type,
                layer=layer,
                bottoms=tuple(bottoms),
                tops=tuple(tops),
                params=params,
                in_place=in_place,
                backward=needs,
                propagate_down=tuple(param.propagate_down) or tuple(backward_below),
                param_gradients=tuple(
                    layer.quirks.learns_frozen or self.table.params[p].own_lr_mult != 0
                    for p in params
                ),
                loss_weights=weights,
                where=self.place(index),
            )
        )

    def _own_param(self, index: int) -> caffe_pb2.LayerParameter:
        """A copy of the layer's message, with its phase."""
        param = caffe_pb2.LayerParameter()
        param.CopyFrom(self.message.layer[index])
        param.ClearField("blobs")  # files that are saved later have the values of that time
        if not param.HasField("phase"):
            param.phase = self.message.state.phase
        return param

    def _create(self, param: caffe_pb2.LayerParameter) -> Layer:
        if param.propagate_down and len(param.propagate_down) != len(param.bottom):
            raise LayerError(
                f"propagate_down given {len(param.propagate_down)} time(s) for"
                f" {len(param.bottom)} bottom(s); needed: never, or once per bottom"
            )
        log_creation(param)
        layer = layer_class(param.type)(param, int(param.phase))
        layer.offline = self.offline
        log.info("net.cpp:86", f"Creating Layer {param.name}")
        return layer

    def _name_tops(self, layer: Layer, param: caffe_pb2.LayerParameter) -> tuple[list[str], bool]:
        """The names of the tops, also those added to a loss, and whether the layer is in place."""
        names = list(param.top)
        least = layer.tops.least if layer.is_loss else 0
        layer.check_counts(len(param.bottom), max(len(names), least))
        in_place = [
            i < len(param.bottom) and name == param.bottom[i] for i, name in enumerate(names)
        ]
        if in_place and in_place[0] and layer.memory.refuses_inplace:
            raise LayerError(
                f"top '{names[0]}' is also the bottom; needed: a top of another name, this type"
                " cannot work in place"
            )
        for i in range(len(names)):
            self._name_top(param, i, in_place=in_place[i])
        if len(names) < least:
            log.info("net.cpp:382", f"{param.name} -> {AUTOMATIC}")
            names += [AUTOMATIC] * (least - len(names))
        return names, bool(in_place and in_place[0])

    def _bottom(self, index: int, param: caffe_pb2.LayerParameter, i: int) -> int:
        blob = param.bottom[i]
        if blob not in self.available:
            raise LayerError(
                f"Unknown bottom blob '{blob}' (bottom index {i}){nearest(blob, self.available)}",
                ("bottom", i),
            )
        log.info("net.cpp:408", f"{param.name} <- {blob}")
        return self.current[blob]

    def _name_top(self, param: caffe_pb2.LayerParameter, i: int, *, in_place: bool) -> None:
        name = param.top[i]
        if in_place:
            log.info("net.cpp:369", f"{param.name} -> {name} (in-place)")
        elif name in self.current:
            needed = "another top name, or the same name as bottom"
            raise LayerError(
                f"Top blob '{name}' produced by multiple sources; needed: {needed}", ("top", i)
            )
        else:
            log.info("net.cpp:382", f"{param.name} -> {name}")
            self.current[name] = -1

    def _top(self, name: str, shape: Shape) -> int:
        self.values.append(Value(name, shape))
        self.value_backward.append(False)
        if name != AUTOMATIC:
            self.current[name] = len(self.values) - 1
            self.available.add(name)
        return len(self.values) - 1

    def _shapes(
        self, index: int, layer: Layer, bottoms: Sequence[Shape], tops: int
    ) -> tuple[Shape, ...]:
        for name in self.message.layer[index].bottom:
            self.available.discard(name)
        if layer.is_source:
            source = self.opener(layer)
            self.sources[index] = source
            return tuple(tuple(shape) for shape in source.shapes[:tops])
        layer.setup(bottoms)
        return layer.reshape(bottoms)

    def _log_tops(self, layer: Layer, shapes: Sequence[Shape], weights: Sequence[float]) -> None:
        log.info("net.cpp:124", f"Setting up {layer.param.name}")
        # without a shape it has no element
        unshaped = layer.param.type == "Input" and not layer.param.input_param.shape
        for shape, weight in zip(shapes, weights):
            log.info("net.cpp:131", f"Top shape: {'(0)' if unshaped else shape_string(shape)}")
            if weight:
                log.info("net.cpp:134", f"    with loss weight {log.number(weight)}")
            self.memory_bytes += 0 if unshaped else 4 * count(shape)
        log.info("net.cpp:139", f"Memory required for data: {self.memory_bytes}")

    def finish(self) -> Graph:
        warn_overwritten(self.nodes, self.values)
        nodes = mark_backward(self.nodes, self.values, self.message.force_backward)
        outputs = sorted(self.available, key=lambda name: name.encode())
        for name in outputs:
            log.info("net.cpp:244", f"This network produces output {name}")
        log.info("net.cpp:257", "Network initialization done.")
        return Graph(
            name=self.message.name,
            phase=self.phase,
            nodes=nodes,
            values=tuple(self.values),
            params=tuple(p.frozen(self.table) for p in self.table.params),
            learnable=tuple(self.table.learnable),
            inputs=tuple(self.inputs),
            outputs=tuple(self.current[name] for name in outputs),
            final=dict(self.current),
            debug_info=bool(self.message.debug_info),
            message=self.message,
            sources=self.sources,
        )


def reshaped(graph: Graph, shapes: dict[int, Shape], *, awaited: Collection[int] = ()) -> Graph:
    """``graph`` with other shapes of its inputs, or of other tops (value index → shape).

    The shapes of all layers after them follow. ``awaited``: values whose shapes are not known yet;
    they, and all that depend on them, get the shape `UNKNOWN`.
    """
    values = list(graph.values)
    for value, shape in (*shapes.items(), *((value, UNKNOWN) for value in awaited)):
        values[value] = replace(values[value], shape=tuple(shape))
    for node in graph.nodes:
        if graph.is_outside(node) or not shapes.keys().isdisjoint(node.tops):
            continue
        bottoms = [values[b].shape for b in node.bottoms]
        tops = [UNKNOWN for _ in node.tops] if UNKNOWN in bottoms else refitted(node, bottoms)
        for value, shape in zip(node.tops, tops):
            values[value] = replace(values[value], shape=UNKNOWN if value in awaited else shape)
    return replace(graph, values=tuple(values))


def refitted(node: Node, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
    """The shapes of the tops of ``node`` for new shapes of its bottoms."""
    with layer_errors(node.name, node.type, lambda *path: node.where, node.layer.param):
        check_bottoms(bottoms)
        tops = node.layer.reshape(bottoms)
        check_tops(node.layer.param, bottoms, tops)
        return tops


def _open_all(layer: Layer) -> Source:
    source: Source = layer.open(Shard(0, 1))
    return source
