"""The reference engine: layer by layer, with the data and diff of every blob, as in Caffe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import torch
from torch import Tensor

from caffepy.engine.arena import Arena
from caffepy.engine.blob import Blob, new_blob
from caffepy.engine.layer_passes import Pass, backward, learn, pass_on_present_values
from caffepy.engine.layer_step import LayerStep, layer_step, may_overwrite, names_overwritten
from caffepy.engine.memory import check_blobs
from caffepy.engine.node_errors import node_errors
from caffepy.engine.numerics import KernelSearch
from caffepy.engine.output import Output
from caffepy.engine.places import check_places
from caffepy.engine.progress import Progress
from caffepy.engine.weights import Array, put
from caffepy.errors import DataError, LayerError
from caffepy.layers.core.base import Run, Shape, count
from caffepy.layers.core.random import CaffeRandom
from caffepy.net import AUTOMATIC, refitted, reshaped
from caffepy.net.graph import Graph, Node

Around = Callable[[Node, bool], None]
"""Called with a node, before it runs with False and afterwards with True."""

UNCHECKED = 1 << 24
"""If no blob has more elements, new shapes are taken without a look at the free memory."""


class LayerwiseEngine:
    """Runs a graph node by node.

    ``blobs``: the blobs by name.
    ``params[i]``: the blob of Graph.params[i]; shared parameters have one.
    ``runs[i]``: what node ``i`` is given in every pass, and keeps between passes.
    ``on_forward(node, done)``, ``on_backward(node, done)``: called before and after each node of
    every pass.
    """

    shows_blobs = True
    scales_loss = False
    hookable = False
    replays = False
    channels_last = False

    def __init__(
        self,
        graph: Graph,
        arena: Arena,
        random: CaffeRandom,
        *,
        beside: LayerwiseEngine | None = None,
    ) -> None:
        """``beside``: an engine whose blobs this one uses; its graph has the same values."""
        self.graph = graph
        self.arena = arena
        self.progress = Progress()
        self.on_forward: Around | None = None
        self.on_backward: Around | None = None
        self._search = KernelSearch(arena.device)
        check_blobs(graph, arena.device)
        self.blobs: dict[str, Blob] = beside.blobs if beside else {}
        self._by_value: list[Blob] = (
            beside._by_value if beside else [self._new_blob(v.name, v.shape) for v in graph.values]
        )
        self._owners = {i: self._new_param(arena.data[i].detach()) for i in graph.learnable}
        self.params = [self._owners[p.owner].seen_as(p.shape) for p in graph.params]
        self._overwritten = names_overwritten(graph)
        self.runs = [
            Run(graph.phase, random, inplace=may_overwrite(graph, node)) for node in graph.nodes
        ]
        self._steps = [self._step(node) for node in graph.nodes]
        self._passes: dict[int, Pass] = {}
        standing = {
            node.tops[i]: (node.layer, i)
            for node in graph.nodes
            for i in node.layer.memory.filled_once
        }
        self._shaped_outside = (*graph.inputs, *standing)
        for value, (layer, i) in standing.items() if beside is None else ():
            self.blob(value).take(layer.fill_top(i, random).to(arena.device))
        # A user's layer may give its tops other shapes in each pass.
        self._asks_for_shapes = any(node.type == "Python" for node in graph.nodes)
        for step in self._steps:
            for blob, weight in step.losses:
                blob.weight = weight
                blob.diff.fill_(weight)

    def blob(self, value: int) -> Blob:
        """The blob that holds a value of the graph."""
        return self._by_value[value]

    def _new_blob(self, name: str, shape: Shape) -> Blob:
        if name in self.blobs:
            return self.blobs[name]
        blob = new_blob(torch.zeros(shape, device=self.arena.device))
        if name != AUTOMATIC:
            self.blobs[name] = blob
        return blob

    def _new_param(self, data: Tensor) -> Blob:
        return new_blob(data)

    def _step(self, node: Node) -> LayerStep:
        return layer_step(
            self.graph,
            node,
            self.runs[node.index],
            blobs=self._by_value,
            params=self.params,
            overwritten=self._overwritten,
        )

    def use(self, arena: Arena) -> None:
        """Compute with the parameters of another arena of this graph from now on.

        The diffs stay as they are.
        """
        self.arena = arena
        for index, blob in self._owners.items():
            blob.data = arena.data[index].detach()

    def share(self, other: Arena) -> None:
        """Share the parameters of ``other`` for layers of the same name from now on.

        All other layers keep their parameters.
        """
        self.sync()
        arena = Arena(self.graph, device=self.arena.device, share=other)
        for index in self.graph.learnable:
            if index not in arena.borrowed:
                arena.data[index].data.copy_(self.arena.data[index].data)
        self.use(arena)

    def sync(self) -> None:
        """Copy what scripts wrote to parameters to the arena, before it is used directly."""
        for blob in self.params:
            blob.sync()

    def lend(self) -> Arena:
        """The arena, for another engine's net that is to share parameters with this one."""
        self.sync()
        return self.arena

    def reshape(self) -> None:
        """Give every blob the shape that follows from those of the inputs.

        Blobs that are filled only once count as inputs here.
        """
        if not self._asks_for_shapes and all(
            b.shape == v.shape for b, v in zip(self._by_value, self.graph.values)
        ):
            return
        graph = reshaped(
            self.graph, {v: tuple(self.blob(v).data.shape) for v in self._shaped_outside}
        )
        self._adopt(graph, [value.shape for value in graph.values])
        self._steps = [self._step(node) for node in self.graph.nodes]
        for blob, value in zip(self._by_value, self.graph.values):
            blob.reshape(value.shape)

    def _adopt(self, graph: Graph, shapes: Sequence[Shape]) -> None:
        """Use ``graph``, whose blobs have new ``shapes``. NetError if they do not fit in memory."""
        if max(map(count, shapes), default=0) > UNCHECKED:
            check_blobs(graph, self.arena.device, before=self.graph)
        self._search.shapes_changed(self.graph, graph)
        self.graph = graph

    def _fit(self, step: LayerStep) -> LayerStep:
        """Make a step for the present shapes of its node's bottoms."""
        node = step.node
        shapes = [tuple(blob.data.shape) for blob in step.bottoms]
        tops = refitted(node, shapes)
        values = list(self.graph.values)
        for value, shape in zip((*node.bottoms, *node.tops), (*shapes, *tops)):
            values[value] = replace(values[value], shape=shape)
        self._adopt(replace(self.graph, values=tuple(values)), tops)
        self._steps[node.index] = self._step(node)
        return self._steps[node.index]

    def forward(
        self, start: int = 0, end: int | None = None, *, around: Around | None = None
    ) -> float:
        """Run the nodes ``start`` to ``end`` (inclusive) on the present values of the blobs.

        Returns the loss that these nodes add. Each layer adapts to the shapes of its bottoms.
        ``around(node, done)``: called before and after each node.
        """
        return self._run(
            self._steps[start : None if end is None else end + 1], _joined(self.on_forward, around)
        )

    def _run(self, steps: Sequence[LayerStep], around: Around | None = None) -> float:
        loss = 0.0
        with torch.no_grad():
            self.progress.backward = False
            for step in steps:
                self.progress.layer = step.node.name
                if around is not None:
                    around(step.node, False)
                for blob, shape in zip(step.bottoms, step.shapes):
                    if blob.data.shape != shape:
                        step = self._fit(step)
                        break
                try:
                    tops = self._tops(step)
                except (LayerError, DataError, RuntimeError, ValueError, ArithmeticError):
                    with node_errors(step.node):
                        raise
                for blob, top in zip(step.tops, tops):
                    blob.take(top)
                for blob, _ in step.losses:
                    loss += float((blob.data * blob.diff).sum())
                if around is not None:
                    around(step.node, True)
        check_places(self)
        return loss

    def _tops(self, step: LayerStep) -> Sequence[Tensor]:
        if step.learns:
            done = self._passes[step.node.index] = learn(step)
            return [top.data.clone() if step.copies else top.data for top in done.tops]
        if step.source is not None:
            return [top.to(self.arena.device, copy=True) for top in step.source.next()]
        tops = step.forward(
            [blob.data for blob in step.bottoms], [blob.data for blob in step.params], step.run
        )
        if not step.bottoms:  # filled on the host
            tops = tuple(top.to(self.arena.device) for top in tops)
        return [top.clone() for top in tops] if step.copies else tops

    def backward(
        self,
        start: int | None = None,
        end: int = 0,
        *,
        around: Around | None = None,
        instead: Callable[[LayerStep], bool] | None = None,
    ) -> None:
        """Run the nodes ``start`` (None: the last) down to ``end`` backward.

        Each starts from the diffs of its tops. It overwrites the diffs of bottoms and adds to those
        of parameters. ``around``: called before and after each node that runs backward.
        ``instead``: called in place of a node's backward pass; False if it did nothing.
        """
        first = len(self.graph.nodes) - 1 if start is None else start
        self.progress.backward = True
        for step in reversed(self._steps[end : first + 1]):
            node = step.node
            self.progress.layer = node.name
            told = _joined(self.on_backward, around if step.learns else None)
            if told is not None:
                told(node, False)
            if step.learns:
                with node_errors(node):
                    if instead is None or not instead(step):
                        backward(step, self._passes.get(node.index) or pass_on_present_values(step))
            if told is not None:
                told(node, True)

    def forward_backward(self) -> Tensor:
        """One pass with gradients, which add up in the diffs of the parameters.

        Returns the loss, a 0-axis tensor.
        """
        loss = self.forward()
        self.backward()
        return torch.tensor(loss)

    def gradients(self) -> list[Tensor | None]:
        """Diff of each learnable parameter, in Caffe's order; None where no layer learns it."""
        return [
            self.params[i].diff if self.arena.data[i].requires_grad else None
            for i in self.graph.learnable
        ]

    def diffs(self) -> list[Tensor]:
        """Diff of each learnable parameter, also where only a script has written to it."""
        return [self.params[i].diff for i in self.graph.learnable]

    def frozen(self) -> AbstractContextManager[None]:
        """Keep nothing from pass to pass, since a script may change parameters at any time."""
        return nullcontext()

    def put_diffs(self, diffs: Sequence[tuple[int, Array]]) -> None:
        """Overwrite the diffs of parameters, given by their index in Graph.params."""
        for index, diff in diffs:
            put(self.params[index].diff, diff)

    def clear_gradients(self) -> None:
        """Zero the diffs of all parameters."""
        for blob in self.params:
            blob.diff.zero_()

    def outputs(self) -> list[Output]:
        """The output blobs of the last pass, in Caffe's order."""
        return [
            Output(self.graph.values[v].name, self.blob(v).data, self.graph.loss_weight(v))
            for v in self.graph.outputs
        ]


def _joined(first: Around | None, second: Around | None) -> Around | None:
    if first is None or second is None:
        return first or second

    def both(node: Node, done: bool) -> None:
        first(node, done)
        second(node, done)

    return both
