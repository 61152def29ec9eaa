"""A compiled net as plain data, with every shape, parameter and flag resolved.

Blobs become values: an in-place layer's top is a new value with the same blob name, so each value
is written once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from caffepy.data.source import Source
from caffepy.layers.core.base import BlobSpec, Layer, Shape
from caffepy.proto import caffe_pb2

UNKNOWN: Shape = (-1,)
"""The shape of a value that depends on what this pass has not read or computed yet."""


@dataclass(frozen=True)
class Value:
    """One state of a blob: its name in the prototxt and its shape (no axes: a scalar)."""

    name: str
    shape: Shape


@dataclass(frozen=True)
class Param:
    """One parameter blob of one layer.

    ``owner``: index in Graph.params of the blob whose memory this one uses (itself if not shared).
    ``name``: ParamSpec.name, empty if anonymous. Multipliers are those in force for the owner.
    """

    layer: str
    slot: int
    name: str
    spec: BlobSpec
    owner: int
    lr_mult: float
    decay_mult: float

    @property
    def shape(self) -> Shape:
        """Shape of the blob as its own layer sees it."""
        return self.spec.shape


@dataclass(frozen=True)
class Node:
    """One layer of a graph.

    ``bottoms``/``tops``: indices in Graph.values; ``params``: indices in Graph.params.
    ``in_place``: its first top overwrites its first bottom's blob.
    ``backward``: it takes part in the backward pass; ``propagate_down``: whether to each bottom;
    ``param_gradients``: whether each of its parameters gets a gradient from it.
    ``loss_weights``: one per top (0: not part of the loss).
    ``where``: ``file:line:column`` of the layer in its prototxt, or "".
    """

    index: int
    name: str
    type: str
    layer: Layer = field(compare=False, repr=False)
    bottoms: tuple[int, ...]
    tops: tuple[int, ...]
    params: tuple[int, ...]
    in_place: bool
    backward: bool
    propagate_down: tuple[bool, ...]
    param_gradients: tuple[bool, ...]
    loss_weights: tuple[float, ...]
    where: str = ""

    @property
    def writes_down(self) -> tuple[bool, ...]:
        """For each bottom, whether backward writes its diff.

        Some of Caffe's layers write it although ``propagate_down`` is false.
        """
        always = self.layer.quirks.always_written if self.backward else ()
        return tuple(down or i in always for i, down in enumerate(self.propagate_down))

    @property
    def tops_have_own_memory(self) -> bool:
        """Whether the layer computes its tops into memory of their own.

        That is not its bottom's memory, nor what a source or a user keeps.
        """
        return bool(self.bottoms) and not self.layer.memory.aliases_bottom

    @property
    def is_automatic_split(self) -> bool:
        """Whether the net added this layer, see `insert_splits`."""
        return self.type == "Split" and self.name.endswith("_split")


@dataclass(frozen=True)
class Graph:
    """A net for one phase.

    ``learnable``: indices of owning params, in Caffe's learnable_params order.
    ``inputs``: value indices of the Input layers' tops.
    ``sources``: node index → opened data source.
    ``outputs``: value indices in Caffe's order (bytewise by blob name).
    ``final``: blob name → the last value of that name.
    ``message``: the NetParameter after filtering and splitting.
    """

    name: str
    phase: int
    nodes: tuple[Node, ...]
    values: tuple[Value, ...]
    params: tuple[Param, ...]
    learnable: tuple[int, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    final: dict[str, int]
    debug_info: bool
    message: caffe_pb2.NetParameter = field(compare=False, repr=False)
    sources: dict[int, Source] = field(compare=False, repr=False, default_factory=dict)

    def node(self, name: str) -> Node:
        """The node of this layer name; KeyError if there is none."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    def producer(self, value: int) -> Node:
        """The node that has this value as a top."""
        return next(node for node in self.nodes if value in node.tops)

    def is_outside(self, node: Node) -> bool:
        """Whether the tops are not computed: it is a source, or an Input layer."""
        return node.index in self.sources or node.type == "Input"

    def sizes_itself(self, node: Node) -> bool:
        """Whether its tops may have another size in each pass, by a batch or by values."""
        return node.index in self.sources or node.layer.device.shaped_by_values

    def loss_weight(self, value: int) -> float:
        """Loss weight of a value's elements; 0 if it is not part of the loss."""
        for node in self.nodes:
            if value in node.tops:
                return node.loss_weights[node.tops.index(value)]
        return 0.0
