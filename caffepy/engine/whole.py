"""The fast engine: one autograd graph for the whole net, and parameters in a flat buffer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor

from caffepy.engine.arena import Arena
from caffepy.engine.feeding import Feeder
from caffepy.engine.half_parameters import HalfParameters
from caffepy.engine.microbatches import in_microbatches
from caffepy.engine.node_errors import node_errors
from caffepy.engine.numerics import KernelSearch
from caffepy.engine.one_call import in_one_call
from caffepy.engine.output import Output
from caffepy.engine.plan import Step, fit, plan
from caffepy.engine.progress import Progress
from caffepy.engine.threads import (
    is_small,
    one_thread,
    same_threads,
    set_threads,
    worth_trying,
)
from caffepy.errors import DataError, LayerError, nearest
from caffepy.layers.core.base import TEST, Forward, Run
from caffepy.layers.core.half import wide
from caffepy.layers.core.random import CaffeRandom
from caffepy.net import reshaped
from caffepy.net.graph import Graph, Node

Feeds = Mapping[str, Tensor]

OF_LAYERS = (LayerError, DataError, MemoryError, RuntimeError, ValueError, ArithmeticError)
"""Errors that get the place and name of the layer that raised them."""


class WholeEngine:
    """Runs a graph at full speed.

    Batches come from the graph's sources. Values of Input layers are fed by the names of blobs.
    ``runs[i]``: what node ``i`` is given in every pass, and keeps between passes.
    ``before_use``: called in every pass before a step with parameters, with the indices of their
    owners in Graph.params, as an update of them may still be due.
    """

    shows_blobs = False
    scales_loss = True
    hookable = True
    replays = False

    before_use: Callable[[Sequence[int]], None] | None = None

    loss_scale: Tensor | None = None
    """The loss is multiplied by this before the backward pass, and so are all gradients."""

    in_parts: Callable[[], tuple[Tensor, dict[int, Tensor]] | None] | None = None
    """Runs a pass with gradients: the loss and the outputs, by value.

    None where it leaves the pass to the engine, see `divided`.
    """

    def __init__(
        self,
        graph: Graph,
        arena: Arena,
        random: CaffeRandom,
        *,
        channels_last: bool = False,
        half: torch.dtype | None = None,
    ) -> None:
        """``channels_last``: the memory format of images.

        ``half``: the 16-bit type of products, see `numerics`; None: float32."""
        self.graph = graph
        self.arena = arena
        self.progress = Progress()
        self.channels_last = channels_last
        self._feeder = Feeder(
            arena.device, torch.channels_last if channels_last else torch.contiguous_format
        )
        self.runs = [Run(graph.phase, random) for _ in graph.nodes]
        self._half = half
        self._half_parameters = HalfParameters(arena, half) if half else None
        self._rounds = False  # whether this pass reads the rounded parameters
        self._steps = plan(
            graph, arena, self.runs, half=half, half_parameters=self._half_parameters
        )
        self._small = is_small(graph, arena.device)
        self._threads: int | None = None  # of the caller, while parameters are frozen
        self._search = KernelSearch(arena.device)
        # The steps of a pass without gradients, if they differ from those of other passes.
        self._testing: list[Step] | None = None
        self._at: Node  # the node that runs
        # Tensors by value, as long as a step will read them.
        self._values: list[Any] = [None] * len(graph.values)
        self.drawn: dict[int, Sequence[Tensor]] = {}  # batches that `in_parts` took, by node
        self._kept: dict[int, Tensor] = {}  # the outputs of the last pass, by value
        self._placed: dict[int, list[Tensor]] = {}  # constant tops on the device, by node
        self._diffs = {
            v: torch.tensor(weight, device=arena.device)
            for step in self._steps
            for v, weight in step.rewritten
        }

    def forward(self, feeds: Feeds | None = None) -> Tensor:
        """One pass without gradients. Returns the loss, a 0-axis tensor; see also `outputs`."""
        if torch.is_grad_enabled():
            with torch.no_grad():
                return self._scored(feeds or {})
        return self._scored(feeds or {})

    def forward_backward(self, feeds: Feeds | None = None) -> Tensor:
        """One pass with gradients, which add up in the arena. Returns the loss, a 0-axis tensor."""
        if self.in_parts is not None and not feeds and (found := self.in_parts()) is not None:
            loss, self._kept = found
            return loss
        loss, roots = self._run(feeds or {}, learn=True)
        if self.loss_scale is not None:
            roots = [root * self.loss_scale for root in roots]
        if roots:
            self.progress.backward = True
            for place in self.arena.overwritten:
                self.arena.learnable[place].grad = None
            # No gradients are given. With some, torch would import its module of symbolic shapes.
            torch.autograd.backward(roots)
            self.arena.part_gradients()
        return loss

    def substitute(self, node: Node, forward: Forward) -> bool:
        """Compute ``node`` by ``forward`` from now on.

        False if it is computed together with others, or if the net computes in 16 bits.
        """
        for step in self._steps if self._half is None else ():
            if step.node is node and step.by_shape:
                step.forward = forward
                step.by_shape = False
                return True
        return False

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """A context in which the caller does not change the parameters.

        What layers derive from them is kept between passes. In a TEST net nothing is noted for
        gradients.
        """
        for step in self._steps:
            step.run.frozen = {}
        self._divide()
        try:
            with same_threads() as self._threads, self._without_gradients():
                yield
        finally:
            self._threads = None
            self._testing = None
            for step in self._steps:
                step.run.frozen = None

    @property
    def is_plain(self) -> bool:
        """Whether a pass computes in float32, and nothing in it depends on the pass before."""
        return (
            self._half is None
            and self.loss_scale is None
            and self.before_use is None
            and not (self._diffs or self.arena.overwritten)
            and not any(
                node.layer.draws or node.layer.batches.statistics for node in self.graph.nodes
            )
        )

    def _without_gradients(self) -> AbstractContextManager[object]:
        return torch.no_grad() if self.graph.phase == TEST else nullcontext()

    def outputs(self) -> list[Output]:
        """The output blobs of the last pass, in Caffe's order, without gradients."""
        return [
            Output(self.graph.values[v].name, self._kept[v], self.graph.loss_weight(v))
            for v in self.graph.outputs
        ]

    def gradients(self) -> list[Tensor | None]:
        """Gradient of each learnable parameter, in Caffe's order; None where there is none."""
        return self.arena.gradients()

    def clear_gradients(self) -> None:
        """Set the gradients to zero."""
        self.arena.clear_gradients()

    def _scored(self, feeds: Feeds) -> Tensor:
        if self._threads is not None:
            set_threads(1 if self._small else self._threads)
            return self._run(feeds, learn=False)[0]
        if not self._small:
            return self._run(feeds, learn=False)[0]
        with one_thread():
            return self._run(feeds, learn=False)[0]

    def _run(self, feeds: Feeds, *, learn: bool) -> tuple[Tensor, list[Tensor]]:
        """Run a pass. Returns the loss, and the weighted values where gradients start."""
        values = self._values
        progress = self.progress
        losses: list[Tensor] = []
        roots: list[Tensor] = []
        if feeds:
            names = {v: self.graph.values[v].name for v in self.graph.inputs}
            self._fit({v: feeds[name] for v, name in names.items() if name in feeds})
        self._round_parameters(learn=learn)
        try:
            progress.backward = False
            for step in self._steps_of_pass(learn=learn):
                self._at = node = step.node
                progress.layer = node.name
                if self.before_use is not None and step.params:
                    self.before_use(step.params)
                try:
                    if step.outside:
                        tops = self._given(step, feeds)
                    elif learn:
                        tops = self._learn(step, values)
                    else:
                        tops = step.forward(
                            [values[v] for v in step.inputs],
                            step.constants(half=self._rounds),
                            step.run,
                        )
                    if not step.inputs:
                        tops = self._place(step, tops)
                except OF_LAYERS:
                    with node_errors(self._at):
                        raise
                for value, top in zip(step.tops, tops):
                    values[value] = top
                    if step.reshapes and top.shape != self.graph.values[value].shape:
                        self._fit(dict(zip(step.tops, tops)), node.index)
                for value, weight in step.losses:
                    losses.append(
                        _weighted(_detached(values[value]), self._diffs.get(value, weight))
                    )
                for value, _ in step.rewritten if learn else ():
                    self._await_diff(self._diffs[value], values[value])
                for value, weight in step.seeds if learn else ():
                    if values[value].requires_grad:
                        roots.append(_weighted(values[value], weight))
                for value in step.keeps:
                    self._kept[value] = _detached(values[value]).float()
                for value in step.frees:
                    values[value] = None
        finally:
            values[:] = [None] * len(values)
        if len(losses) == 1:
            return losses[0], roots
        return sum(losses, torch.zeros((), device=self.arena.device)), roots

    def _round_parameters(self, *, learn: bool) -> None:
        """Round the parameters for a pass in 16 bits, and set whether the pass reads them.

        If updates come just before the steps, or a TEST net runs in micro-batches, layers round
        their parameters themselves.
        """
        self._rounds = (
            self._half_parameters is not None
            and self.before_use is None
            and (learn or self._testing is None)
        )
        if self._half_parameters is not None and self._rounds:
            self._half_parameters.refresh()

    def _place(self, step: Step, tops: Sequence[Tensor]) -> list[Tensor]:
        """The tops of a step without bottoms, on the device.

        Constant tops are copied there only once, as a recording cannot copy them.
        """
        if step.outside or not step.node.layer.device.constant:
            return self._feeder.place(tops)
        if step.node.index not in self._placed:
            self._placed[step.node.index] = self._feeder.place(tops)
        return self._placed[step.node.index]

    def _await_diff(self, weight: Tensor, loss: Tensor) -> None:
        """Have the backward pass write the diff of ``loss`` to ``weight``, for later passes.

        Caffe sets the diffs of losses only once, so what a backward pass leaves is the next weight.
        """

        def keep(diff: Tensor) -> None:
            weight.copy_(diff if self.loss_scale is None else diff / self.loss_scale)

        if loss.requires_grad:
            weight.zero_()  # stays 0 if the backward pass does not reach the loss
            loss.register_hook(keep)

    def _steps_of_pass(self, *, learn: bool) -> Sequence[Step]:
        """The steps of a pass, in order."""
        return self._steps if learn or self._testing is None else self._testing

    def _learn(
        self, step: Step, values: Sequence[Tensor] | Mapping[int, Tensor]
    ) -> Sequence[Tensor]:
        """The tops of a step in a pass with gradients.

        ``values``: the present tensors, by value.
        """
        if not step.backward:
            with torch.no_grad():
                return step.forward(
                    [values[v] for v in step.inputs], step.constants(half=self._rounds), step.run
                )
        if step.refusal:
            raise step.node.layer.fail(step.refusal)
        bottoms = [values[v] if down else values[v].detach() for v, down in step.bottoms]
        return step.forward(bottoms, step.parameters(half=self._rounds), step.run)

    def _given(self, step: Step, feeds: Feeds) -> Sequence[Tensor]:
        """The tops of a step that the net does not compute: a batch of its source, or the feeds."""
        if step.node.index in self.drawn:
            return self.drawn.pop(step.node.index)
        if step.node.index in self.graph.sources:
            batch: Sequence[Tensor] = self.graph.sources[step.node.index].next()
            return batch[: len(step.tops)]
        names = [self.graph.values[v].name for v in step.tops]
        for name in names:
            if name not in feeds:
                raise LayerError(
                    f"input blob '{name}' is not fed; given: {_quoted(feeds)};"
                    f" needed: {_quoted(names)}{nearest(name, feeds)}"
                )
        return [feeds[name] for name in names]

    def _fit(self, given: Mapping[int, Tensor], done: int = -1) -> None:
        """Reshape the net if the ``given`` tensors, by value, have other shapes than in the graph.

        Each layer checks the shapes of its bottoms, except those not yet known in this pass.
        ``done``: index of the node that the pass has come to.
        """
        shapes = {v: tuple(t.shape) for v, t in given.items()}
        graph = self.graph
        if any(graph.values[v].shape != shape for v, shape in shapes.items()):
            others: list[tuple[int, int]] = []
            for node in graph.nodes:
                if graph.sizes_itself(node):
                    others += [(v, node.index) for v in node.tops if v not in shapes]
            awaited = {v for v, index in others if index > done}
            known = {v: graph.values[v].shape for v, index in others if index < done}
            self.graph = reshaped(graph, known | shapes, awaited=awaited)
            self._search.shapes_changed(graph, self.graph)
            fit(self._steps, self.graph, half=self._half)
            if not awaited:
                self._small = is_small(self.graph, self.arena.device)
                if self._testing is not None:
                    self._divide()

    def _divide(self) -> None:
        if self.graph.phase == TEST and self.arena.device.type == "cpu":
            steps = in_microbatches(self._steps, self.graph, self._enter)
            if len(steps) == len(self._steps) and self._half is None:
                usual = self._threads or torch.get_num_threads()
                threads = worth_trying(usual) if self._small else (usual,)
                steps = in_one_call(steps, self.graph, self._enter, threads)
            self._testing = steps

    def _enter(self, node: Node) -> None:
        self._at = node
        self.progress.layer = node.name


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "nothing"


def _detached(top: Tensor) -> Tensor:
    return top.detach() if top.requires_grad else top


def _weighted(top: Tensor, weight: float | Tensor) -> Tensor:
    if top.dtype != torch.float32:
        top = top.to(wide(top.dtype))  # the sum of 16-bit numbers may be too large for 16 bits
    if isinstance(weight, Tensor):
        return (top * weight).sum()
    total = top if top.dim() == 0 else top.sum()
    return total if weight == 1.0 else total * weight
