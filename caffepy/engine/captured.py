"""The fast engine on a GPU: the passes of `whole` recorded once as CUDA graphs and replayed, so that launching costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.arena import Arena
from caffepy.engine.plan import Step
from caffepy.engine.whole import Feeds, WholeEngine
from caffepy.layers.random import CaffeRandom
from caffepy.net.graph import Graph

WARM_UP_PASSES = 3
"""Passes before a capture, as cuDNN's and cuBLAS's own choices must be made by then."""

STATEFUL_TYPES = {"RNN", "LSTM"}
"""Layers that keep tensors from pass to pass."""


@dataclass
class _Recording:
    """One captured pass: its inputs are overwritten before a replay, its results after it."""

    graph: torch.cuda.CUDAGraph
    inputs: dict[int, Tensor]
    loss: Tensor
    kept: dict[int, Tensor]
    gradients: list[Tensor | None]


class CapturedEngine(WholeEngine):
    """`WholeEngine` on a CUDA device, its passes recorded at their first use for each set of shapes.

    A net with layers that cannot be recorded runs as in `WholeEngine`; one log line says why.
    """

    def __init__(self, graph: Graph, arena: Arena, random: CaffeRandom, *, channels_last: bool = False) -> None:
        super().__init__(graph, arena, random, channels_last=channels_last)
        self._recordings: dict[tuple[object, ...], _Recording] = {}
        self._passes = 0
        self._sums: list[Tensor | None] = []
        self._saved: list[Tensor | None] = []
        self._fixed: dict[int, Tensor] = {}
        self._obstacle = _obstacle(graph)
        if self._obstacle:
            log.info("captured.py:0", f"Net '{graph.name}' runs layer by layer: {self._obstacle} cannot be recorded as a CUDA graph.")

    def forward(self, feeds: Feeds | None = None) -> Tensor:
        """One pass without gradients; returns the loss, a 0-axis tensor on the device."""
        if self._obstacle:
            return super().forward(feeds)
        return self._replay(self._inputs(feeds or {}), learn=False).loss.clone()

    def forward_backward(self, feeds: Feeds | None = None) -> Tensor:
        """One pass with gradients, which add up; returns the loss, a 0-axis tensor on the device."""
        if self._obstacle:
            return super().forward_backward(feeds)
        recording = self._replay(self._inputs(feeds or {}), learn=True)
        self._passes += 1
        if self._passes == 1:
            self._sums = recording.gradients
        else:
            self._add(recording.gradients)
        return recording.loss.clone()

    def gradients(self) -> list[Tensor | None]:
        """Sums since `clear_gradients`; None where there is no gradient."""
        if self._obstacle:
            return super().gradients()
        return list(self._sums) if self._passes else [None] * len(self.arena.learnable)

    def clear_gradients(self) -> None:
        """Forget the gradients."""
        self._passes = 0
        super().clear_gradients()

    def _add(self, gradients: list[Tensor | None]) -> None:
        if self._passes == 2:  # the first pass's gradients lie in the recording, which this pass has overwritten: kept below
            self._sums = self._saved
        sums = [s for s in self._sums if s is not None]
        torch._foreach_add_(sums, [g for g in gradients if g is not None])

    def _inputs(self, feeds: Feeds) -> dict[int, Tensor]:
        """Host or device tensors for every value that comes from outside."""
        found: dict[int, Tensor] = {}
        for step in self._steps:
            if step.node.index in self.graph.sources or step.node.type == "Input":
                found.update(zip(step.tops, self._given(step, feeds)))
        return found

    def _outside(self, step: Step, feeds: Feeds) -> Sequence[Tensor]:
        return super()._outside(step, feeds) if self._obstacle else [self._fixed[v] for v in step.tops]

    def _replay(self, inputs: dict[int, Tensor], *, learn: bool) -> _Recording:
        key = (learn, *((v, tuple(t.shape)) for v, t in inputs.items()))
        recording = self._recordings.get(key)
        if learn and self._passes == 1:
            self._saved = [None if g is None else g.clone() for g in self._sums]
        if recording is None:
            self._fit(inputs)
            recording = self._recordings[key] = self._record({v: self._placed(t).clone() for v, t in inputs.items()}, learn)
        for value, tensor in inputs.items():
            recording.inputs[value].copy_(tensor, non_blocking=True)
        recording.graph.replay()
        self._kept = recording.kept
        return recording

    def _record(self, inputs: dict[int, Tensor], learn: bool) -> _Recording:
        self._fixed = inputs
        one_pass: Callable[[], Tensor] = super().forward_backward if learn else super().forward
        saved, seed = self.arena.flat.buffer.clone(), torch.cuda.get_rng_state(self.arena.device)
        stream = torch.cuda.Stream(self.arena.device)  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream(self.arena.device))
        with torch.cuda.stream(stream):
            for _ in range(WARM_UP_PASSES):
                super().clear_gradients()
                one_pass()
        torch.cuda.current_stream(self.arena.device).wait_stream(stream)
        super().clear_gradients()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = one_pass()
        gradients = self.arena.gradients()
        super().clear_gradients()
        # What the warm-up counted (batch statistics) and drew (dropout) is undone.
        self.arena.flat.buffer.copy_(saved)
        torch.cuda.set_rng_state(seed, self.arena.device)
        kept, self._kept = self._kept, {}
        return _Recording(graph, inputs, loss, kept, gradients)


def _obstacle(graph: Graph) -> str:
    for node in graph.nodes:
        if node.layer.on_host or node.type in STATEFUL_TYPES:
            return f"layer '{node.name}' ({node.type})"
    return ""
