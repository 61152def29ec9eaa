"""The fast engine on a GPU: passes of `whole` that are recorded once and replayed.

A replay takes the host no time to launch kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import is_
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.arena import Arena
from caffepy.engine.padding import of_any_length, padded
from caffepy.engine.partition import Partition
from caffepy.engine.partitioning import partitioned
from caffepy.engine.plan import Step
from caffepy.engine.recorder import WARM_UP_PASSES, CudaRecorder, Recorder
from caffepy.engine.whole import Feeds, WholeEngine
from caffepy.errors import CaffeError, one_line
from caffepy.layers.core.base import Layer
from caffepy.layers.core.random import CaffeRandom
from caffepy.layers.core.state import HIDDEN, state_tensors
from caffepy.net.graph import UNKNOWN, Graph

MOST_RECORDINGS = 16
"""Sets of input shapes up to which a net is recorded.

Each recording keeps memory of its own.
"""

T = TypeVar("T")
Inputs = dict[int, Tensor]
"""By value, what comes from outside for one pass, on the device."""


@dataclass
class _Results:
    """What a pass leaves, or an iteration. ``found``: by its update."""

    loss: Tensor
    kept: dict[int, Tensor]
    gradients: list[Tensor | None]
    found: Any = None


@dataclass
class _Recording:
    """One recorded pass, or several and an update.

    Its ``inputs`` are overwritten before a replay, its results by it.
    """

    replay: Callable[[], None]
    results: _Results
    inputs: list[Inputs]


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Ending(Generic[T]):
    """What an iteration does beside its passes.

    ``update``: changes the parameters by their gradients, without a wait of the host.

    ``listen``: called before the last pass. ``forget``: what these two have done in a recording
    that failed does not count.
    """

    update: Callable[[Sequence[Tensor | None]], T]
    listen: Callable[[], None] = _nothing
    forget: Callable[[], None] = _nothing

    def each_pass(self, passes: Sequence[Inputs]) -> Iterator[Inputs]:
        """The ``passes`` one after the other."""
        yield from passes[:-1]
        self.listen()
        yield passes[-1]


@dataclass(frozen=True)
class Iterated(Generic[T]):
    """An iteration's mean ``loss``. ``updated``: its update is made, and gave ``found``."""

    loss: Tensor
    updated: bool = False
    found: T | None = None


class CapturedEngine(WholeEngine):
    """`WholeEngine` with its passes recorded at their first use for each set of shapes.

    A net with layers that need the host is recorded in ``partitions`` between these layers. A net
    that cannot be recorded runs as in `WholeEngine`: a log line says why, and so does ``obstacle``
    from then on. Outputs and gradients are overwritten by the next pass.
    """

    hookable, replays = False, True

    def __init__(
        self,
        graph: Graph,
        arena: Arena,
        random: CaffeRandom,
        *,
        channels_last: bool = False,
        half: torch.dtype | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        """``recorder``: what makes the recordings, by default CUDA graphs on the arena's device."""
        super().__init__(graph, arena, random, channels_last=channels_last, half=half)
        self.recorder = recorder or CudaRecorder(arena.device)
        self._recordings: dict[tuple[object, ...], _Recording] = {}
        self._passes = 0
        self._sums: list[Tensor | None] = []
        self._sum_buffers: list[
            Tensor
        ] = []  # for sums of several passes, from one iteration to the next
        self._fixed: Inputs = {}
        self._iterations: dict[tuple[object, ...], _Recording | None] = {}
        """None: met once."""
        self.apart = ""
        """Why iterations are not recorded in one, though passes are, in words; else empty."""
        self._loose = of_any_length(graph)
        self._stateful_nodes = [
            node for node in graph.nodes if type(node.layer).state_shapes is not Layer.state_shapes
        ]
        self.obstacle = ""
        self.partitions: list[Partition] = []
        self._partitioned_steps: list[Step] = []
        if host := next((node for node in graph.nodes if node.layer.device.on_host), None):
            self._divide_at(f"layer '{host.name}' ({host.type}) needs the host in every pass")

    def forward(self, feeds: Feeds | None = None) -> Tensor:
        """One pass without gradients; returns the loss, a 0-axis tensor on the device."""
        return self._pass(feeds or {}, super().forward, learn=False)

    def forward_backward(self, feeds: Feeds | None = None) -> Tensor:
        """One pass with gradients, which add up.

        Returns the loss, a 0-axis tensor on the device.
        """
        return self._pass(feeds or {}, super().forward_backward, learn=True)

    @property
    def replayed(self) -> bool:
        """Whether the gradients are those of replayed passes.

        They lie where they will after other such passes.
        """
        return self._passes > 0

    def gradients(self) -> list[Tensor | None]:
        """Sums since `clear_gradients`; None where there is no gradient."""
        return list(self._sums) if self._passes else super().gradients()

    def clear_gradients(self) -> None:
        """Forget the gradients."""
        self._passes = 0
        self._sums = []
        super().clear_gradients()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Nothing is kept that derives from parameters.

        A recording would go on with it when they have changed.
        """
        yield

    def close(self) -> None:
        """Give the recordings back."""
        self._recordings.clear()
        self._iterations.clear()
        for partition in self.partitions:
            partition.close()
        self.recorder.close()

    def iterate(self, passes: int, kind: Hashable, ending: Ending[T]) -> Iterated[T]:
        """``passes`` passes with gradients and the update of ``ending``, in one recording.

        The first time for each set of shapes and each ``kind`` of update, and where they cannot be
        recorded, only the passes are made.
        """
        drawn = [self._drawn({}) for _ in range(passes)]
        learn = super().forward_backward
        key = (kind, _shapes(drawn[0]))
        alike = all(_shapes(inputs) == _shapes(drawn[0]) for inputs in drawn)
        if self.obstacle or self.apart or not alike:
            return Iterated(_mean([self._on(inputs, learn, learn=True) for inputs in drawn]))
        self._fit(drawn[0])
        self._prepare_state()
        # The first time cuDNN and cuBLAS choose kernels, and tensors are made that stay.
        if key not in self._iterations:
            self._iterations[key] = None
            return Iterated(
                _mean(
                    [self._plain(inputs, learn, learn=True) for inputs in ending.each_pass(drawn)]
                )
            )
        recording = self._iterations[key] or self._recorded_iteration(key, drawn, ending)
        if recording is None:
            return Iterated(_mean([self._on(inputs, learn, learn=True) for inputs in drawn]))
        self._replay(recording, drawn)
        self._passes = passes
        self._sums = recording.results.gradients
        return Iterated(recording.results.loss, True, recording.results.found)

    def _pass(self, feeds: Feeds, run: Callable[[], Tensor], *, learn: bool) -> Tensor:
        return self._on(self._drawn(feeds), run, learn=learn)

    def _on(self, inputs: Inputs, run: Callable[[], Tensor], *, learn: bool) -> Tensor:
        """A pass on ``inputs``, by the recording for their shapes if there can be one."""
        self._fixed = inputs
        self._fit(inputs)
        self._prepare_state()
        if self.partitions:
            return self._pass_through_partitions(run, learn=learn)
        recording = self._recording(run, learn=learn) if not self.obstacle else None
        if recording is None:
            return self._plain(inputs, run, learn=learn)
        if learn and self._passes == 1:  # the first pass's gradients lie where this one's will
            self._sums = self._aside(self._sums)
        self._replay(recording, [inputs])
        if learn:
            self._add(recording.results.gradients)
        return recording.results.loss.clone()

    def _divide_at(self, reason: str) -> None:
        """Record the net in partitions, for this ``reason``, if there are any."""

        def run(step: Step, values: dict[int, Tensor]) -> Sequence[Tensor]:
            self._enter(step.node)
            self._prepare_state()
            if torch.is_grad_enabled():
                tops = self._learn(step, values)
            else:
                tops = step.forward(
                    [values[v] for v in step.inputs], step.constants(half=self._rounds), step.run
                )
            return tops if step.inputs else self._place(step, tops)

        plan = partitioned(
            self._steps, lambda subgraph: Partition(subgraph, run, self.recorder, self.arena.device)
        )
        if not plan.partitions:
            self._give_up(reason)
            return
        self._partitioned_steps = plan.steps
        self.partitions = plan.partitions
        self.apart = reason
        number = len(self.partitions)
        pieces = f"{number} pieces" if number > 1 else "one piece"
        log.info(
            "captured.py:0",
            f"Net '{self.graph.name}' is recorded as CUDA graphs in {pieces}, as {reason}.",
        )

    def _steps_of_pass(self, *, learn: bool) -> Sequence[Step]:
        return self._partitioned_steps or super()._steps_of_pass(learn=learn)

    def _pass_through_partitions(self, run: Callable[[], Tensor], *, learn: bool) -> Tensor:
        """A pass through the partitions and what is between them.

        Its gradients go to where they will after other such passes.
        """
        if learn and self._passes == 1:
            self._sums = self._aside(self._sums)
        loss = run()
        if learn:
            gradients = super().gradients()
            super().clear_gradients()
            places = set[int]().union(*(partition.places for partition in self.partitions))
            steady = all(partition.kinds <= 1 for partition in self.partitions) and all(
                g is None or g.data_ptr() in places for g in gradients
            )
            self._add(gradients if steady or self._passes else self._aside(gradients))
        return loss.clone()

    def _prepare_state(self) -> None:
        """Prepare what layers take from the pass before, if the shapes are new.

        This must not be recorded.
        """
        for node in self._stateful_nodes:
            shapes = [self.graph.values[v].shape for v in node.bottoms]
            if UNKNOWN not in shapes:
                state_tensors(
                    self.runs[node.index], node.layer.state_shapes(shapes), self.arena.device
                )

    def _plain(self, inputs: Inputs, run: Callable[[], Tensor], *, learn: bool) -> Tensor:
        """A pass on ``inputs``, which the net is made ready for, without a recording."""
        self._fixed = inputs
        loss = run()
        if learn and self._passes:  # the passes before were replayed
            self._add(super().gradients())
            super().clear_gradients()
        return loss

    def _replay(self, recording: _Recording, given: Sequence[Inputs]) -> None:
        buffer = [tensor for inputs in recording.inputs for tensor in inputs.values()]
        if buffer:
            torch._foreach_copy_(buffer, [tensor for inputs in given for tensor in inputs.values()])
        recording.replay()
        self._kept = dict(recording.results.kept)  # the next recording keeps others

    def _add(self, gradients: list[Tensor | None]) -> None:
        """One more pass's gradients to the sums of those before."""
        self._passes += 1
        if self._passes == 1:
            self._sums = gradients
        elif more := [g for g in gradients if g is not None]:
            torch._foreach_add_([s for s in self._sums if s is not None], more)
            for place in self.arena.overwritten:
                if (total := self._sums[place]) is not None and (
                    last := gradients[place]
                ) is not None:
                    total.copy_(last)

    def _aside(self, gradients: list[Tensor | None]) -> list[Tensor | None]:
        """A copy, each time in the same memory."""
        given = [g for g in gradients if g is not None]
        if len(given) == len(self._sum_buffers) and all(map(is_, given, self._sum_buffers)):
            return gradients
        if [g.stride() for g in given] != [r.stride() for r in self._sum_buffers]:
            self._sum_buffers = [torch.empty_like(g) for g in given]
        if given:
            torch._foreach_copy_(self._sum_buffers, given)
        buffer = iter(self._sum_buffers)
        return [None if g is None else next(buffer) for g in gradients]

    def _drawn(self, feeds: Feeds) -> Inputs:
        """The next batches, and what is fed."""
        given = super()._given
        inputs = {
            value: tensor
            for step in self._steps
            if step.outside
            for value, tensor in zip(step.tops, given(step, feeds))
        }
        placed = zip(inputs, self._feeder.place(list(inputs.values())))
        return {
            value: padded(tensor) if value in self._loose else tensor for value, tensor in placed
        }

    def _given(self, step: Step, feeds: Feeds) -> Sequence[Tensor]:
        return [self._fixed[v] for v in step.tops]

    def _recording(self, run: Callable[[], Tensor], *, learn: bool) -> _Recording | None:
        """That for the shapes of the inputs at hand, made if it is not there.

        None if it cannot be made.
        """
        key = (learn, _shapes(self._fixed))
        if key in self._recordings:
            return self._recordings[key]
        if len(self._recordings) >= MOST_RECORDINGS:
            self._give_up(f"its inputs have more than {MOST_RECORDINGS} shapes")
            return None
        kept = [tensor for run in self.runs for tensor in run.state.get(HIDDEN, ())]
        changed = [*self.arena.learnable, *self._diffs.values(), *kept]
        values = [tensor.detach().clone() for tensor in changed]
        try:
            recording = self._recordings[key] = self._record(
                [self._fixed], lambda buffers: self._results(buffers, run), passes=WARM_UP_PASSES
            )
        except CaffeError:
            raise
        except RuntimeError as error:
            self._give_up(one_line(error)[:200])
            return None
        finally:
            if values:
                with torch.no_grad():
                    # What the passes left: batch statistics and states.
                    torch._foreach_copy_(changed, values)
        return recording

    def _recorded_iteration(
        self, key: tuple[object, ...], given: Sequence[Inputs], ending: Ending[Any]
    ) -> _Recording | None:
        """A new one; None if it cannot be made, now or ever again."""
        learn = super().forward_backward
        try:
            if len(self._iterations) > MOST_RECORDINGS:
                raise RuntimeError(
                    f"inputs' shapes, momentum or weight decay were new {MOST_RECORDINGS} times"
                )
            recording = self._iterations[key] = self._record(
                given, lambda buffers: self._results(buffers, learn, ending), passes=0
            )
        except CaffeError:
            raise
        except RuntimeError as error:
            ending.forget()
            self.apart = one_line(error)[:200]
            self._iterations.clear()
            log.info(
                "captured.py:0",
                f"Iterations of net '{self.graph.name}' are not recorded as one CUDA graph:"
                f" {self.apart}.",
            )
            return None
        return recording

    def _record(
        self, given: Sequence[Inputs], run: Callable[[Sequence[Inputs]], _Results], *, passes: int
    ) -> _Recording:
        """What ``run`` makes of inputs like those ``given``.

        RuntimeError where it cannot be recorded.
        """
        placed = self._fixed
        buffers = [{v: t.clone() for v, t in inputs.items()} for inputs in given]
        try:
            replay, results = self.recorder.record(lambda: run(buffers), passes=passes)
        finally:
            self._fixed = placed
            super().clear_gradients()  # of a pass that failed halfway
        return _Recording(replay, results, buffers)

    def _results(
        self,
        buffers: Sequence[Inputs],
        run: Callable[[], Tensor],
        ending: Ending[Any] | None = None,
    ) -> _Results:
        """Of a pass on each of the inputs ``buffers``, and of an update by their gradients."""
        super().clear_gradients()
        losses = []
        for inputs in buffers if ending is None else ending.each_pass(buffers):
            self._fixed = inputs
            losses.append(run())
        results = _Results(_mean(losses), dict(self._kept), super().gradients())
        super().clear_gradients()
        if ending is not None:
            results.kept = {v: self._before_update(t) for v, t in results.kept.items()}
            with torch.no_grad():
                results.found = ending.update(results.gradients)
        return results

    def _before_update(self, output: Tensor) -> Tensor:
        """An output as it is before its parameter, which it may be itself, is updated."""
        mine = self.arena.flat.buffer.untyped_storage().data_ptr()
        return output.clone() if output.untyped_storage().data_ptr() == mine else output

    def _give_up(self, reason: str) -> None:
        self.obstacle = reason
        self._recordings.clear()
        self._iterations.clear()
        log.info(
            "captured.py:0", f"Net '{self.graph.name}' is not recorded as a CUDA graph: {reason}."
        )


def _shapes(inputs: Inputs) -> tuple[object, ...]:
    return tuple((value, tuple(tensor.shape)) for value, tensor in inputs.items())


def _mean(losses: Sequence[Tensor]) -> Tensor:
    return sum(losses[1:], losses[0]) / len(losses) if len(losses) > 1 else losses[0]
