"""The fast engine on a GPU: it records passes of `whole` once and then replays them.

The host launches a replay in one call, and not each kernel of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.arena import Arena
from caffepy.engine.gradient_sums import GradientSums
from caffepy.engine.padding import of_any_length, padded
from caffepy.engine.partition import Partition
from caffepy.engine.partitioning import partitioned
from caffepy.engine.plan import Step
from caffepy.engine.recorder import WARM_UP_PASSES, CudaRecorder, Recorder
from caffepy.engine.recordings import Ending, Inputs, Iterated, Recording, Results, mean, shapes_of
from caffepy.engine.whole import Feeds, WholeEngine
from caffepy.errors import CaffeError, one_line
from caffepy.layers.core.base import Layer
from caffepy.layers.core.random import CaffeRandom
from caffepy.layers.core.state import HIDDEN, state_tensors
from caffepy.net.graph import UNKNOWN, Graph

MOST_RECORDINGS = 16
"""A net is recorded for up to this many sets of input shapes.

Each recording keeps memory of its own.
"""

T = TypeVar("T")


class CapturedEngine(WholeEngine):
    """`WholeEngine` with its passes recorded at their first use for each set of shapes.

    A net with layers that need the host is recorded in ``partitions`` between these layers. A net
    that cannot be recorded runs as in `WholeEngine`: a log line says why, and so does ``obstacle``
    from then on. Outputs and gradients are overwritten by the next pass.
    """

    hookable = False
    replays = True

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
        self._recordings: dict[tuple[object, ...], Recording] = {}
        self._sums = GradientSums(arena.overwritten)
        self._fixed: Inputs = {}
        """The inputs that the next pass reads."""
        self._iterations: dict[tuple[object, ...], Recording | None] = {}
        """None for an iteration that has come once."""
        self.apart = ""
        """Why passes are recorded but not whole iterations, in words; else empty."""
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
        return self._pass(feeds or {}, super().forward, learn=False)

    def forward_backward(self, feeds: Feeds | None = None) -> Tensor:
        return self._pass(feeds or {}, super().forward_backward, learn=True)

    @property
    def replayed(self) -> bool:
        """Whether the gradients are those of replayed passes, which write to the same memory."""
        return self._sums.passes > 0

    def gradients(self) -> list[Tensor | None]:
        """The sums since `clear_gradients`; None where there is no gradient."""
        return list(self._sums.gradients) if self._sums.passes else super().gradients()

    def clear_gradients(self) -> None:
        self._sums.clear()
        super().clear_gradients()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Keep nothing that derives from parameters.

        Recordings would go on reading it after the parameters have changed.
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
        """Run so many passes with gradients and the update of ``ending`` as one recording.

        Without a recording only the passes are run: in the first call for each set of shapes and
        each ``kind`` of update, and where an iteration cannot be recorded.
        """
        drawn = [self._drawn({}) for _ in range(passes)]
        learn = super().forward_backward
        key = (kind, shapes_of(drawn[0]))
        alike = all(shapes_of(inputs) == shapes_of(drawn[0]) for inputs in drawn)
        if self.obstacle or self.apart or not alike:
            return Iterated(mean([self._on(inputs, learn, learn=True) for inputs in drawn]))
        self._fit(drawn[0])
        self._prepare_state()
        # The first time cuDNN and cuBLAS choose kernels, and layers make tensors that they keep.
        if key not in self._iterations:
            self._iterations[key] = None
            passes_drawn = ending.each_pass(drawn)
            return Iterated(mean([self._plain(each, learn, learn=True) for each in passes_drawn]))
        recording = self._iterations[key] or self._recorded_iteration(key, drawn, ending)
        if recording is None:
            return Iterated(mean([self._on(inputs, learn, learn=True) for inputs in drawn]))
        self._replay(recording, drawn)
        self._sums.put(recording.results.gradients, passes=passes)
        return Iterated(recording.results.loss, True, recording.results.report)

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
        if learn:
            self._sums.keep_first()
        self._replay(recording, [inputs])
        if learn:
            self._sums.add(recording.results.gradients)
        return recording.results.loss.clone()

    def _divide_at(self, reason: str) -> None:
        """Record the net in partitions from now on, for this ``reason``, if it has any."""

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
        """A pass through the partitions and the layers between them.

        Its gradients are in the same memory after each such pass.
        """
        if learn:
            self._sums.keep_first()
        loss = run()
        if learn:
            gradients = super().gradients()
            super().clear_gradients()
            if not (self._sums.passes or self._is_steady(gradients)):
                gradients = self._sums.copied(gradients)
            self._sums.add(gradients)
        return loss.clone()

    def _is_steady(self, gradients: Sequence[Tensor | None]) -> bool:
        """Whether each pass writes its gradients to the memory that these are in."""
        places = set[int]().union(*(partition.places for partition in self.partitions))
        return all(partition.kinds <= 1 for partition in self.partitions) and all(
            g is None or g.data_ptr() in places for g in gradients
        )

    def _prepare_state(self) -> None:
        """Make the tensors that layers keep from pass to pass, if the shapes are new.

        A recording must not make them.
        """
        for node in self._stateful_nodes:
            shapes = [self.graph.values[v].shape for v in node.bottoms]
            if UNKNOWN not in shapes:
                state_tensors(
                    self.runs[node.index], node.layer.state_shapes(shapes), self.arena.device
                )

    def _plain(self, inputs: Inputs, run: Callable[[], Tensor], *, learn: bool) -> Tensor:
        """A pass on ``inputs`` without a recording; the net fits their shapes."""
        self._fixed = inputs
        loss = run()
        if learn and self._sums.passes:  # the passes before were replayed
            self._sums.add(super().gradients())
            super().clear_gradients()
        return loss

    def _replay(self, recording: Recording, given: Sequence[Inputs]) -> None:
        buffer = [tensor for inputs in recording.inputs for tensor in inputs.values()]
        if buffer:
            torch._foreach_copy_(buffer, [tensor for inputs in given for tensor in inputs.values()])
        recording.replay()
        self._kept = dict(recording.results.kept)  # the next recording keeps others

    def _drawn(self, feeds: Feeds) -> Inputs:
        """The inputs of the next pass, on the device: batches of sources, and what is fed."""
        given = super()._given
        inputs: Inputs = {}
        for step in self._steps:
            if step.outside:
                inputs.update(zip(step.tops, given(step, feeds)))
        placed = zip(inputs, self._feeder.place(list(inputs.values())))
        return {
            value: padded(tensor) if value in self._loose else tensor for value, tensor in placed
        }

    def _given(self, step: Step, feeds: Feeds) -> Sequence[Tensor]:
        return [self._fixed[v] for v in step.tops]

    def _recording(self, run: Callable[[], Tensor], *, learn: bool) -> Recording | None:
        """The recording for the shapes of the present inputs, made if it is not there.

        None if it cannot be made.
        """
        key = (learn, shapes_of(self._fixed))
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
                    # The passes to warm up changed batch statistics and states.
                    torch._foreach_copy_(changed, values)
        return recording

    def _recorded_iteration(
        self, key: tuple[object, ...], given: Sequence[Inputs], ending: Ending[Any]
    ) -> Recording | None:
        """A new recording of an iteration. None if it cannot be made; none is then tried again."""
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
        self, given: Sequence[Inputs], run: Callable[[Sequence[Inputs]], Results], *, passes: int
    ) -> Recording:
        """Record ``run`` on copies of the inputs ``given``. RuntimeError if that cannot be done."""
        placed = self._fixed
        buffers = [{v: t.clone() for v, t in inputs.items()} for inputs in given]
        try:
            replay, results = self.recorder.record(lambda: run(buffers), passes=passes)
        finally:
            self._fixed = placed
            super().clear_gradients()  # of a pass that failed halfway
        return Recording(replay, results, buffers)

    def _results(
        self,
        buffers: Sequence[Inputs],
        run: Callable[[], Tensor],
        ending: Ending[Any] | None = None,
    ) -> Results:
        """The results of a pass on each of the ``buffers``, and of the update of ``ending``."""
        super().clear_gradients()
        losses = []
        for inputs in buffers if ending is None else ending.each_pass(buffers):
            self._fixed = inputs
            losses.append(run())
        results = Results(mean(losses), dict(self._kept), super().gradients())
        super().clear_gradients()
        if ending is not None:
            results.kept = {v: self._before_update(t) for v, t in results.kept.items()}
            with torch.no_grad():
                results.report = ending.update(results.gradients)
        return results

    def _before_update(self, output: Tensor) -> Tensor:
        """An output, copied if it is in the memory of parameters, which the update changes."""
        mine = self.arena.flat.buffer.untyped_storage().data_ptr()
        return output.clone() if output.untyped_storage().data_ptr() == mine else output

    def _give_up(self, reason: str) -> None:
        self.obstacle = reason
        self._recordings.clear()
        self._iterations.clear()
        log.info(
            "captured.py:0", f"Net '{self.graph.name}' is not recorded as a CUDA graph: {reason}."
        )
