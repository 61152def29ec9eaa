"""The reference engine: one layer at a time, every blob's data and diff in memory of its own, as Caffe has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from caffepy.engine.arena import Arena
from caffepy.engine.blame import blame, gradient_refusal
from caffepy.engine.inplace import node_forward
from caffepy.engine.output import Output
from caffepy.layers.base import Run, Shape
from caffepy.layers.random import CaffeRandom
from caffepy.net import AUTOMATIC, reshaped
from caffepy.net.graph import Graph, Node


class Blob:
    """Values (``data``) and gradient (``diff``) of one blob, two contiguous float32 tensors of one shape."""

    def __init__(self, data: Tensor, diff: Tensor | None = None) -> None:
        self.data = data
        self._diff = diff

    @property
    def diff(self) -> Tensor:
        """The gradient; zeros until something writes it."""
        if self._diff is None or self._diff.shape != self.data.shape:
            self._diff = torch.zeros(self.data.shape, device=self.data.device)
        return self._diff

    def seen_as(self, shape: Shape) -> Blob:
        """This blob, or one on the same memory where a layer shares it in another shape."""
        if tuple(self.data.shape) == shape:
            return self
        return Blob(self.data.view(shape), self.diff.view(shape))

    def reshape(self, shape: Sequence[int]) -> None:
        """Another shape; the values stay where the number of elements does."""
        if tuple(self.data.shape) == tuple(shape):
            return
        same = self.data.numel() == torch.Size(shape).numel()
        self.data = self.data.view(tuple(shape)) if same else torch.zeros(tuple(shape), device=self.data.device)
        if self._diff is not None:
            self._diff = self._diff.view(tuple(shape)) if same else None


@dataclass
class _Pass:
    """What one forward of a node leaves for its backward."""

    bottoms: list[Tensor]
    blobs: list[Tensor]
    tops: tuple[Tensor, ...]


class LayerwiseEngine:
    """Runs a graph node by node.  ``blobs``: blob name → Blob.  ``params[i]``: Blob of Graph.params[i] (owners share).

    ``before``/``after``: called with the node around each layer's forward and backward (hooks, timing, debug_info).
    """

    def __init__(self, graph: Graph, arena: Arena, random: CaffeRandom) -> None:
        self.graph, self.arena = graph, arena
        self.blobs: dict[str, Blob] = {}
        self._by_value = [self._new_blob(value.name, value.shape) for value in graph.values]
        owners = {i: Blob(arena.data[i].detach()) for i in graph.learnable}
        self.params = [owners[p.owner].seen_as(p.shape) for p in graph.params]
        self._runs = [Run(graph.phase, random) for _ in graph.nodes]
        self._passes: dict[int, _Pass] = {}
        self._overwritten = {graph.values[node.bottoms[0]].name for node in graph.nodes if node.in_place}
        for node in graph.nodes:
            for value, weight in zip(node.tops, node.loss_weights):
                if weight:
                    self.blob(value).diff.fill_(weight)

    def blob(self, value: int) -> Blob:
        """The blob that a value of the graph lives in."""
        return self._by_value[value]

    def _new_blob(self, name: str, shape: Shape) -> Blob:
        if name in self.blobs:
            return self.blobs[name]
        blob = Blob(torch.zeros(shape, device=self.arena.device))
        if name != AUTOMATIC:
            self.blobs[name] = blob
        return blob

    def reshape(self) -> None:
        """Carry the present shapes of the input blobs through the net."""
        shapes: dict[int, Shape] = {v: tuple(self.blob(v).data.shape) for v in self.graph.inputs}
        self.graph = reshaped(self.graph, shapes)
        for blob, value in zip(self._by_value, self.graph.values):
            blob.reshape(value.shape)

    def forward(self, start: int = 0, end: int | None = None, *, around: Callable[[Node, bool], None] | None = None) -> float:
        """Run nodes ``start`` to ``end`` (inclusive); returns the loss that they add. ``around(node, done)`` is called
        before and after each node."""
        loss = 0.0
        last = len(self.graph.nodes) - 1 if end is None else end
        for node in self.graph.nodes[start : last + 1]:
            if around:
                around(node, False)
            loss += self._forward(node)
            if around:
                around(node, True)
        return loss

    def _forward(self, node: Node) -> float:
        with blame(node):
            if node.index in self.graph.sources:
                tops: tuple[Tensor, ...] = self.graph.sources[node.index].next()
            elif node.type == "Input":
                return 0.0
            else:
                tops = self._compute(node)
        for value, top in zip(node.tops, tops):
            blob = self.blob(value)
            if blob.data.shape != top.shape:
                blob.reshape(top.shape)
                self.graph = reshaped(self.graph, {value: tuple(top.shape)}) if node.index in self.graph.sources else self.graph
            blob.data.copy_(top.detach())
        return sum(w * float(self.blob(t).data.sum()) for t, w in zip(node.tops, node.loss_weights) if w)

    def _compute(self, node: Node) -> tuple[Tensor, ...]:
        bottoms = []
        for value, wanted in zip(node.bottoms, node.propagate_down):
            blob = self.blob(value)
            tensor = blob.data.clone() if self.graph.values[value].name in self._overwritten else blob.data.detach()
            bottoms.append(tensor.requires_grad_(wanted and node.backward))
        blobs = []
        for index, wanted in zip(node.params, node.param_gradients):
            tensor = self.params[index].data.detach().view(self.graph.params[index].shape)
            blobs.append(tensor.requires_grad_(wanted and node.backward))
        with torch.set_grad_enabled(node.backward):
            tops = tuple(node_forward(node)(bottoms, blobs, self._runs[node.index]))
        self._passes[node.index] = _Pass(bottoms, blobs, tops)
        return tops

    def backward(self, start: int | None = None, end: int = 0, *, around: Callable[[Node, bool], None] | None = None) -> None:
        """Run the backward of nodes ``start`` (default: the last) down to ``end`` from the diffs of their tops.

        The diff of a bottom is overwritten, that of a parameter added to.
        """
        first = len(self.graph.nodes) - 1 if start is None else start
        for node in reversed(self.graph.nodes[end : first + 1]):
            if not node.backward or node.index not in self._passes:
                continue
            if around:
                around(node, False)
            with blame(node):
                self._backward(node)
            if around:
                around(node, True)

    def _backward(self, node: Node) -> None:
        refusal = gradient_refusal(node, self.graph)
        if refusal:
            raise node.layer.fail(refusal)
        done = self._passes[node.index]
        tops = [(top, self.blob(value).diff) for top, value in zip(done.tops, node.tops) if top.requires_grad]
        inputs = [t for t in (*done.bottoms, *done.blobs) if t.requires_grad]
        if not inputs:
            return
        found: dict[int, Tensor | None] = {}
        if tops:
            grads = torch.autograd.grad(
                [t for t, _ in tops], inputs, [d.view(t.shape) for t, d in tops], allow_unused=True, retain_graph=True
            )
            found = {id(t): g for t, g in zip(inputs, grads)}
        for value, tensor in zip(node.bottoms, done.bottoms):
            if tensor.requires_grad:
                grad = found.get(id(tensor))
                diff = self.blob(value).diff
                diff.zero_() if grad is None else diff.copy_(grad)
        for index, tensor in zip(node.params, done.blobs):
            grad = found.get(id(tensor))
            if tensor.requires_grad and grad is not None:
                diff = self.params[index].diff
                diff += grad.view(diff.shape)

    def forward_backward(self) -> Tensor:
        """One pass with gradients, which add up in the diffs of the parameters; returns the loss, a 0-axis tensor."""
        loss = self.forward()
        self.backward()
        return torch.tensor(loss)

    def gradients(self) -> list[Tensor | None]:
        """Diff of each learnable parameter, in Caffe's order; None where no layer learns it."""
        return [self.params[i].diff if self.arena.data[i].requires_grad else None for i in self.graph.learnable]

    def clear_gradients(self) -> None:
        """Zero the diffs of all parameters."""
        for blob in self.params:
            blob.diff.zero_()

    def outputs(self) -> list[Output]:
        """The output blobs of the last pass, in Caffe's order."""
        return [Output(self.graph.values[v].name, self.blob(v).data, self.graph.loss_weight(v)) for v in self.graph.outputs]
