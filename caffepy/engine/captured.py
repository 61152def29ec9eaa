"""The fast engine on a GPU: the passes of `whole` recorded once and replayed, so that launching them costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.arena import Arena
from caffepy.engine.plan import Step
from caffepy.engine.recorder import CudaRecorder, Recorder
from caffepy.engine.whole import Feeds, WholeEngine
from caffepy.errors import CaffeError, one_line
from caffepy.layers.base import Layer
from caffepy.layers.carried import HIDDEN, carried
from caffepy.layers.random import CaffeRandom
from caffepy.net.graph import UNKNOWN, Graph

MOST_RECORDINGS = 16
"""A net whose inputs come in more shapes than this is not recorded: each recording keeps memory of its own."""


@dataclass
class _Results:
    """What one pass leaves."""

    loss: Tensor
    kept: dict[int, Tensor]
    gradients: list[Tensor | None]


@dataclass
class _Recording:
    """One recorded pass: its inputs are overwritten before a replay, its results by it."""

    replay: Callable[[], None]
    results: _Results
    inputs: dict[int, Tensor]


class CapturedEngine(WholeEngine):
    """`WholeEngine` with its passes recorded at their first use for each set of shapes.

    A net that cannot be recorded runs as in `WholeEngine`; one log line says why, and ``obstacle`` from then on. Outputs and gradients hold
    until the next pass.
    """

    def __init__(
        self,
        graph: Graph,
        arena: Arena,
        random: CaffeRandom,
        *,
        channels_last: bool = False,
        short: torch.dtype | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        """``recorder``: what makes the recordings, by default CUDA graphs on the arena's device."""
        super().__init__(graph, arena, random, channels_last=channels_last, short=short)
        self.recorder = recorder or CudaRecorder(arena.device)
        self._recordings: dict[tuple[object, ...], _Recording] = {}
        self._passes = 0
        self._sums: list[Tensor | None] = []
        self._room: list[Tensor] = []  # for sums of several passes, from one iteration to the next
        self._fixed: dict[int, Tensor] = {}
        self._carriers = [node for node in graph.nodes if type(node.layer).carries is not Layer.carries]
        obstacles = [node for node in graph.nodes if node.layer.on_host]
        self.obstacle = ""
        if obstacles:
            self._give_up(f"layer '{obstacles[0].name}' ({obstacles[0].type}) needs the host in every pass")

    def forward(self, feeds: Feeds | None = None) -> Tensor:
        """One pass without gradients; returns the loss, a 0-axis tensor on the device."""
        return self._pass(feeds or {}, super().forward, learn=False)

    def forward_backward(self, feeds: Feeds | None = None) -> Tensor:
        """One pass with gradients, which add up; returns the loss, a 0-axis tensor on the device."""
        return self._pass(feeds or {}, super().forward_backward, learn=True)

    @property
    def replayed(self) -> bool:
        """Whether the gradients are those of replayed passes, which lie where they will after other such passes."""
        return self._passes > 0

    def gradients(self) -> list[Tensor | None]:
        """Sums since `clear_gradients`; None where there is no gradient."""
        return list(self._sums) if self._passes else super().gradients()

    def clear_gradients(self) -> None:
        """Forget the gradients."""
        self._passes, self._sums = 0, []
        super().clear_gradients()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Nothing is derived from parameters: a recording would go on with it when they have changed."""
        yield

    def _pass(self, feeds: Feeds, run: Callable[[], Tensor], *, learn: bool) -> Tensor:
        inputs = self._inputs(feeds)
        self._fit(inputs)
        self._fixed = dict(zip(inputs, self._feeder.place(list(inputs.values()))))
        self._carry()
        recording = self._recording(run, learn=learn) if not self.obstacle else None
        if recording is None:
            loss = run()
            if learn and self._passes:  # the passes before were replayed
                self._add(super().gradients())
                super().clear_gradients()
            return loss
        if learn and self._passes == 1:  # the first pass's gradients lie where this one's will
            self._sums = self._aside(self._sums)
        for value, tensor in self._fixed.items():
            recording.inputs[value].copy_(tensor)
        recording.replay()
        self._kept = dict(recording.results.kept)  # the next recording keeps others
        if learn:
            self._add(recording.results.gradients)
        return recording.results.loss.clone()

    def _carry(self) -> None:
        """Have ready what layers take from the pass before, where this pass's shapes need it: not to be recorded."""
        for node in self._carriers:
            shapes = [self.graph.values[v].shape for v in node.bottoms]
            if UNKNOWN not in shapes:
                carried(self.runs[node.index], node.layer.carries(shapes), self.arena.device)

    def _add(self, gradients: list[Tensor | None]) -> None:
        """One more pass's gradients to the sums of those before."""
        self._passes += 1
        if self._passes == 1:
            self._sums = gradients
        elif more := [g for g in gradients if g is not None]:
            torch._foreach_add_([s for s in self._sums if s is not None], more)
            for place in self.arena.overwritten:
                if (total := self._sums[place]) is not None and (last := gradients[place]) is not None:
                    total.copy_(last)

    def _aside(self, gradients: list[Tensor | None]) -> list[Tensor | None]:
        """A copy, each time in the same memory."""
        given = [g for g in gradients if g is not None]
        if [g.stride() for g in given] != [r.stride() for r in self._room]:
            self._room = [torch.empty_like(g) for g in given]
        if given:
            torch._foreach_copy_(self._room, given)
        room = iter(self._room)
        return [None if g is None else next(room) for g in gradients]

    def _inputs(self, feeds: Feeds) -> dict[int, Tensor]:
        """Host or device tensors for every value that comes from outside."""
        given = super()._given
        return {value: tensor for step in self._steps if step.outside for value, tensor in zip(step.tops, given(step, feeds))}

    def _given(self, step: Step, feeds: Feeds) -> Sequence[Tensor]:
        return [self._fixed[v] for v in step.tops]

    def _recording(self, run: Callable[[], Tensor], *, learn: bool) -> _Recording | None:
        """That for the shapes of the inputs at hand, made if it is not there; None if it cannot be made."""
        key = (learn, *((v, tuple(t.shape)) for v, t in self._fixed.items()))
        if key in self._recordings:
            return self._recordings[key]
        if len(self._recordings) >= MOST_RECORDINGS:
            self._give_up(f"its inputs have more than {MOST_RECORDINGS} shapes")
            return None
        kept = [tensor for run in self.runs for tensor in run.state.get(HIDDEN, ())]
        changed = [*self.arena.learnable, *self._diffs.values(), *kept]
        placed, values = self._fixed, [tensor.detach().clone() for tensor in changed]
        self._fixed = {v: t.clone() for v, t in placed.items()}
        try:
            replay, results = self.recorder.record(lambda: self._results(run))
        except CaffeError:
            raise
        except RuntimeError as error:
            self._give_up(one_line(error)[:200])
            return None
        finally:
            recorded, self._fixed = self._fixed, placed
            super().clear_gradients()  # of a pass that failed halfway
            if values:
                with torch.no_grad():
                    torch._foreach_copy_(changed, values)  # batch statistics and states that the passes left
        self._recordings[key] = _Recording(replay, results, recorded)
        return self._recordings[key]

    def _results(self, run: Callable[[], Tensor]) -> _Results:
        super().clear_gradients()
        results = _Results(run(), dict(self._kept), super().gradients())
        super().clear_gradients()
        return results

    def _give_up(self, reason: str) -> None:
        self.obstacle = reason
        self._recordings.clear()
        log.info("captured.py:0", f"Net '{self.graph.name}' is not recorded as a CUDA graph: {reason}.")
