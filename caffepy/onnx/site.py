"""An ONNX graph under construction, and what a converter sees of it.

That is one layer with its inputs, blobs and shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import NodeProto, TensorProto, helper, numpy_helper

from caffepy.errors import LayerError
from caffepy.layers.core.base import Layer, Shape
from caffepy.net.graph import Node

Array = npt.NDArray[Any]
Attribute = int | float | str | Sequence[int]
"""Of an operator."""
INT64 = TensorProto.INT64
FLOAT = TensorProto.FLOAT
BOOL = TensorProto.BOOL


class Builder:
    """Nodes and initializers in order, and names that are used once."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.initializers: list[TensorProto] = []
        self._used: set[str] = set()

    def name(self, wish: str) -> str:
        """``wish``, or with a number behind it where that is taken."""
        name = wish
        number = 1
        while name in self._used:
            number += 1
            name = f"{wish}_{number}"
        self._used.add(name)
        return name

    def store(self, wish: str, values: Array) -> str:
        """Add an initializer; its name."""
        name = self.name(wish)
        self.initializers.append(numpy_helper.from_array(np.array(values, order="C"), name))
        return name


class Site:
    """One layer to be converted.

    ``inputs``: names of its bottoms. ``blobs``: names of its parameters, ``arrays``: their values.
    ``bottoms``, ``tops``: shapes, where -1 is a dim that grows with the batch.
    """

    def __init__(
        self,
        builder: Builder,
        node: Node,
        *,
        inputs: Sequence[str],
        blobs: Sequence[str],
        arrays: Sequence[Array],
        bottoms: Sequence[Shape],
        tops: Sequence[Shape],
    ) -> None:
        self.node = node
        self.inputs = list(inputs)
        self.blobs = list(blobs)
        self.arrays = list(arrays)
        self.bottoms = list(bottoms)
        self.tops = list(tops)
        self._builder = builder

    @property
    def layer(self) -> Any:
        """The layer, of the type that its converter knows."""
        layer: Layer = self.node.layer
        return layer

    @property
    def x(self) -> str:
        """The name of the first bottom."""
        return self.inputs[0]

    @property
    def axes(self) -> int:
        """Axes of the first bottom."""
        return len(self.bottoms[0])

    def op(self, kind: str, *inputs: str, **attributes: Attribute) -> str:
        """Add an operator with one output; the name of that."""
        return self.ops(kind, *inputs, outputs=1, **attributes)[0]

    def ops(self, kind: str, *inputs: str, outputs: int, **attributes: Attribute) -> list[str]:
        """Add an operator with several outputs; their names."""
        names = [self._builder.name(f"{self.node.name}/{kind}") for _ in range(outputs)]
        node = helper.make_node(kind, inputs, names, name=names[0])
        node.attribute.extend(
            helper.make_attribute(name, value) for name, value in sorted(attributes.items())
        )
        self._builder.nodes.append(node)
        return names

    def floats(self, values: npt.ArrayLike) -> str:
        """A constant of float32."""
        return self._builder.store(f"{self.node.name}/constant", np.asarray(values, np.float32))

    def ints(self, values: npt.ArrayLike) -> str:
        """A constant of int64: shapes, axes, indices."""
        return self._builder.store(f"{self.node.name}/constant", np.asarray(values, np.int64))

    def reshape(self, x: str, shape: Sequence[int]) -> str:
        """``x`` in another shape. LayerError where more than one dim grows with the batch."""
        if sum(n == -1 for n in shape) > 1:
            raise self.fail("more than one dim of a shape grows with the batch")
        return self.op("Reshape", x, self.ints(shape))

    def learned(self, blob: int, axis: int = 1) -> str:
        """A parameter that broadcasts against the first bottom.

        It has trailing axes of 1, so that its own first axis is at ``axis``.
        """
        values = self.arrays[blob]
        return self.floats(
            values.reshape(*values.shape, *(1,) * (self.axes - axis - values.ndim))
            if values.ndim
            else values
        )

    def trailing(self, x: str, shape: Sequence[int], axis: int) -> str:
        """``x``, of this ``shape``, likewise."""
        ones = self.axes - axis - len(shape)
        return (
            self.op("Unsqueeze", x, self.ints(range(len(shape), len(shape) + ones))) if ones else x
        )

    def affine(self, x: str, scale: float, shift: float) -> str:
        """``x * scale + shift``."""
        if scale != 1:
            x = self.op("Mul", x, self.floats(scale))
        return self.op("Add", x, self.floats(shift)) if shift else x

    def indices(self, x: str) -> str:
        """Floats cut to integers."""
        return self.op("Cast", x, to=INT64)

    def fail(self, message: str) -> LayerError:
        """The error for a layer that cannot be written in ONNX."""
        where = f"{self.node.where}: " if self.node.where else ""
        return LayerError(
            f"{where}layer '{self.node.name}' ({self.node.type}) cannot be exported to ONNX: "
            f"{message}"
        )
