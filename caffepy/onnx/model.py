"""A part of a net as an ONNX model.

Operators of opset 17, weights inside, a batch of any size where the net allows it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import onnx
from onnx import helper

import caffepy
from caffepy.engine.predictions import Part
from caffepy.errors import LayerError
from caffepy.layers.core.base import Shape
from caffepy.net import Node
from caffepy.onnx import (  # noqa: F401 - they register converters
    elementwise,
    products,
    recurrent,
    shapes,
    spatial,
)
from caffepy.onnx.registry import CONVERTERS
from caffepy.onnx.site import FLOAT, Array, Builder, Site
from caffepy.proto.atomic import atomic_write

OPSET = 17
IR_VERSION = 8
BATCH = "N"
LARGEST = 2**31 - 2**20


@dataclass(frozen=True)
class Exported:
    """``axis``: the axis of the inputs that is a batch of any size.

    None where the net takes one size only, and ``fixed`` says why.
    """

    model: onnx.ModelProto
    axis: int | None
    fixed: str = ""


def to_onnx(part: Part, arrays: Mapping[int, Array]) -> Exported:
    """The model of a part.

    ``arrays``: parameters by their index in graph.params. LayerError where a layer has no ONNX
    form.
    """
    for node in part.nodes:
        if node.type not in CONVERTERS:
            where = f"{node.where}: " if node.where else ""
            known = ", ".join(sorted(CONVERTERS))
            raise LayerError(
                f"{where}layer '{node.name}' ({node.type}) has no form in ONNX here; "
                f"these types have one: {known}"
            )
    reasons = []
    for axis in (0, 1):  # recurrent nets have the time steps first
        try:
            return Exported(_Writer(part, arrays, _growing(part, axis)).model(), axis)
        except LayerError as error:
            reasons.append(str(error))
    return Exported(
        _Writer(part, arrays, [value.shape for value in part.graph.values]).model(),
        None,
        reasons[0],
    )


def save(model: onnx.ModelProto, path: str) -> None:
    """Write the model; beyond protobuf's 2 GiB its weights go to ``<path>.data``.

    Errors: WeightsError when it cannot be written.
    """
    large = sum(len(tensor.raw_data) for tensor in model.graph.initializer) > LARGEST
    with atomic_write(path) as temporary:
        if large:
            onnx.save_model(
                model,
                temporary,
                save_as_external_data=True,
                location=f"{os.path.basename(path)}.data",
            )
        else:
            temporary.write_bytes(model.SerializeToString())


def _growing(part: Part, axis: int) -> list[Shape]:
    """Shapes of all values, -1 for a dim that grows with the batch.

    Errors: LayerError where the net does not take another batch.
    """
    try:
        larger = part.reshaped(part.input_shapes(more=1, axis=axis))
    finally:
        part.reshaped(part.input_shapes())  # layers know the shapes they were last given
    grown = []
    for value, other in zip(part.graph.values, larger.graph.values):
        if len(value.shape) != len(other.shape):
            raise LayerError(f"blob '{value.name}' has another number of axes for another batch")
        grown.append(tuple(-1 if a != b else a for a, b in zip(value.shape, other.shape)))
    if not any(-1 in grown[value] for value in part.inputs):
        raise LayerError(f"the inputs have no axis {axis}")
    return grown


class _Writer:
    """Writes the operators of one part."""

    def __init__(self, part: Part, arrays: Mapping[int, Array], sizes: Sequence[Shape]) -> None:
        self._part = part
        self._arrays = arrays
        self._sizes = sizes
        self._builder = Builder()
        self._names: dict[int, str] = {}
        self._blobs: dict[int, str] = {}

    def model(self) -> onnx.ModelProto:
        """Write all operators; the finished model."""
        part = self._part
        graph = part.graph
        for value in part.inputs:
            self._names[value] = self._builder.name(graph.values[value].name)
        outputs = {value: self._builder.name(graph.values[value].name) for value in part.outputs}
        for node in part.nodes:
            self._convert(node, outputs)
        for value, name in outputs.items():
            if self._names[value] != name:
                self._builder.nodes.append(
                    helper.make_node("Identity", [self._names[value]], [name], name=name)
                )
        read = {name for made in self._builder.nodes for name in made.input}
        body = helper.make_graph(
            self._builder.nodes,
            graph.name or "net",
            [self._info(value, self._names[value]) for value in part.inputs],
            [self._info(value, name) for value, name in outputs.items()],
            [tensor for tensor in self._builder.initializers if tensor.name in read],
        )
        model = helper.make_model(
            body, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
        )
        model.producer_name = "caffepy"
        model.producer_version = caffepy.__version__
        return model

    def _info(self, value: int, name: str) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(
            name, FLOAT, [BATCH if n == -1 else n for n in self._sizes[value]]
        )

    def _convert(self, node: Node, outputs: Mapping[int, str]) -> None:
        part = self._part
        site = Site(
            self._builder,
            node,
            inputs=[self._names[value] for value in node.bottoms],
            blobs=[self._blob(index) for index in node.params],
            arrays=[
                self._arrays[index].reshape(part.graph.params[index].shape) for index in node.params
            ],
            bottoms=[self._sizes[value] for value in node.bottoms],
            tops=[self._sizes[value] for value in node.tops],
        )
        before = len(self._builder.nodes)
        written = CONVERTERS[node.type](site)
        names = [written] if isinstance(written, str) else written
        operators = self._builder.nodes[before:]
        read = {name for operator in operators for name in operator.input}
        makers = {name: operator for operator in operators for name in operator.output}
        for value, name in zip(node.tops, names):
            if name in makers and name not in read:  # it can have the name of the blob
                output = makers.pop(name).output
                blob = outputs.get(value) or self._builder.name(part.graph.values[value].name)
                output[list(output).index(name)] = blob
                name = blob
            self._names[value] = name

    def _blob(self, index: int) -> str:
        """The initializer of a parameter, one for all that share it."""
        param = self._part.graph.params[index]
        owner = self._part.graph.params[param.owner]
        key = param.owner if owner.shape == param.shape else -1 - index
        if key not in self._blobs:
            self._blobs[key] = self._builder.store(
                f"{param.layer}.{param.slot}", self._arrays[index].reshape(param.shape)
            )
        return self._blobs[key]
