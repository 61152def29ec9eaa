"""What the form of a layer type sees: one layer with its shapes and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from caffepy.errors import LayerError
from caffepy.layers.core.base import TRAIN, Layer, Shape
from caffepy.net.graph import Graph, Node
from caffepy.report.pytorch.step import Arg, Array, Learned, Module


@dataclass(frozen=True)
class Form:
    """A layer as an expression: {0}, {1}... are its bottoms, {m} its module.

    ``nests``: it reads well around the expression of its first bottom. ``helpers``: functions and
    classes of `caffepy.report.pytorch.helpers` that it calls. ``same``: of each top the bottom that
    it is, where nothing is computed.
    """

    code: str = ""
    module: Module | None = None
    nests: bool = False
    helpers: tuple[Any, ...] = ()
    same: tuple[int, ...] | None = None


class Site:
    """One layer to be written.

    ``bottoms``, ``tops``: shapes. ``arrays``: values of its parameters. ``readers``: of each top,
    the types of layers that read it.
    """

    def __init__(
        self,
        graph: Graph,
        node: Node,
        arrays: Mapping[int, Array],
        readers: Sequence[Sequence[str]],
    ) -> None:
        self._graph, self.node, self.readers = graph, node, readers
        self.arrays = [arrays[index].reshape(graph.params[index].shape) for index in node.params]
        self.bottoms: list[Shape] = [graph.values[value].shape for value in node.bottoms]
        self.tops: list[Shape] = [graph.values[value].shape for value in node.tops]

    @property
    def layer(self) -> Any:
        """The layer, of the type that its form knows."""
        layer: Layer = self.node.layer
        return layer

    @property
    def param(self) -> Any:
        """Its LayerParameter."""
        return self.node.layer.param

    @property
    def trains(self) -> bool:
        """The net is one for training."""
        return self._graph.phase == TRAIN

    @property
    def axes(self) -> int:
        """Axes of the first bottom."""
        return len(self.bottoms[0])

    def module(
        self,
        cls: str,
        args: Sequence[Arg],
        learned: Mapping[str, Learned | None],
        buffers: Mapping[str, Array] | None = None,
    ) -> Module:
        """A module with these parameters by its names for them; without those that are None."""
        return Module(
            cls, tuple(args), {name: blob for name, blob in learned.items() if blob}, buffers or {}
        )

    def weight_and_bias(self) -> dict[str, Learned | None]:
        """The first two blobs, the second if there is one, by torch's usual names."""
        return {
            "weight": self.learned(0),
            "bias": self.learned(1) if len(self.node.params) > 1 else None,
        }

    def learned(
        self, slot: int, shape: Shape | None = None, *, transposed: bool = False
    ) -> Learned:
        """The blob of this place, in another shape where one is given."""
        index = self.node.params[slot]
        return Learned(
            index, self._graph.params[index].shape if shape is None else shape, transposed
        )

    def fail(self, message: str) -> LayerError:
        """The error for a layer that has no form in torch."""
        where = f"{self.node.where}: " if self.node.where else ""
        return LayerError(
            f"{where}layer '{self.node.name}' ({self.node.type}) cannot be written in torch:"
            f" {message}"
        )
