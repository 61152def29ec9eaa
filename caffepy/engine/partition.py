"""A part of a net that is recorded as two CUDA graphs: forward and backward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.plan import Step
from caffepy.engine.recorder import Recorder
from caffepy.errors import CaffeError, one_line
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run

MOST_RECORDINGS = 16
"""A partition is recorded for up to this many sets of shapes; others run layer by layer."""
MOST_MET = 256
"""Up to this many sets of shapes are remembered as having come once."""

RunStep = Callable[[Step, dict[int, Tensor]], Sequence[Tensor]]
"""Computes the tops of a step from the present values, with gradients if these are enabled."""


@dataclass(frozen=True)
class Subgraph:
    """Steps of a plan, one after the other, that form one partition.

    ``number``: of the partition in its net, from 1 on.
    ``inputs``: the values that the steps read from others, and whether a gradient goes back to
    them.
    ``outputs``: the values that others read from the steps.
    ``differentiated``: those outputs that may get a gradient.
    """

    number: int
    steps: tuple[Step, ...]
    inputs: dict[int, bool]
    outputs: tuple[int, ...]
    differentiated: frozenset[int]

    @property
    def learns(self) -> bool:
        """Whether the steps have a backward pass."""
        return any(step.backward for step in self.steps)

    def parameters(self) -> list[Tensor]:
        """The parameters that get gradients from these steps."""
        learned: dict[int, Tensor] = {}
        for step in self.steps:
            if step.backward:
                owners = [owner for _, owner in step.views]
                for tensor in (*step.blobs, *owners):
                    if tensor.requires_grad:
                        learned[id(tensor)] = tensor
        return list(learned.values())


@dataclass
class _Recording:
    """The two graphs, and the memory that they read and write.

    ``forward`` reads ``bottoms`` and writes ``tops``. ``backward`` reads ``top_diffs``, the diffs
    of the tops with indices ``slots``, and writes ``diffs``: those of the bottoms, then those of
    the parameters, or None.
    """

    forward: Callable[[], None]
    bottoms: list[Tensor]
    tops: list[Tensor]
    slots: list[int]
    backward: Callable[[], None] | None = None
    top_diffs: list[Tensor] | None = None
    diffs: Sequence[Tensor | None] = ()


class Partition:
    """Runs the steps of a `Subgraph` as one step.

    The first pass for a set of shapes runs layer by layer. Later passes replay a recording.

    Each recording has memory of its own, as other partitions run between its forward and its
    backward pass. After a backward pass the gradients of parameters are in ``grad``, as usual.
    Where
    ``grad`` was None before, it is the recording's own tensor; ``places`` has the addresses of
    these.
    """

    def __init__(
        self, subgraph: Subgraph, run_step: RunStep, recorder: Recorder, device: torch.device
    ) -> None:
        self.subgraph = subgraph
        self.obstacle = ""
        self.places: set[int] = set()
        self._run_step = run_step
        self._recorder = recorder
        self._parameters = subgraph.parameters()
        self._met: set[object] = set()
        self._recordings: dict[object, _Recording] = {}
        self._anchor = torch.zeros((), device=device, requires_grad=True)
        """Makes autograd run the backward pass even if no bottom needs a gradient."""

    def close(self) -> None:
        """Give the recordings back."""
        self._recordings.clear()

    @property
    def kinds(self) -> int:
        """The number of sets of shapes for which a backward pass is recorded."""
        return sum(recording.backward is not None for recording in self._recordings.values())

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The values of `Subgraph.outputs`."""
        learn = torch.is_grad_enabled()
        key = (learn, *((x.shape, x.dtype, learn and x.requires_grad) for x in bottoms))
        recording = self._recordings.get(key)
        if (
            recording is None
            and not self.obstacle
            and key in self._met
            and len(self._recordings) < MOST_RECORDINGS
        ):
            recording = self._record(key, bottoms)
        if recording is None:
            if len(self._met) < MOST_MET:
                self._met.add(key)
            return tuple(self._plain(bottoms))
        tops: tuple[Tensor, ...] = apply(_Replayed, self, recording, self._anchor, *bottoms)
        return tops

    def _plain(self, bottoms: Sequence[Tensor]) -> list[Tensor]:
        """The same values, computed layer by layer."""
        subgraph = self.subgraph
        values = dict(zip(self.subgraph.inputs, bottoms))
        for step in subgraph.steps:
            values.update(zip(step.tops, self._run_step(step, values)))
            for value in step.frees:
                if value not in subgraph.outputs:
                    values.pop(value, None)
        tops = [values[value] for value in subgraph.outputs]
        return [
            top if value in subgraph.differentiated else top.detach()
            for value, top in zip(subgraph.outputs, tops)
        ]

    def _record(self, key: object, bottoms: Sequence[Tensor]) -> _Recording | None:
        """A new recording. None if it cannot be made; none is then tried again."""
        buffers = [
            x.detach().clone().requires_grad_(torch.is_grad_enabled() and x.requires_grad)
            for x in bottoms
        ]
        number = self.subgraph.number
        try:
            forward, tops = self._recorder.record(
                lambda: self._plain(buffers), passes=0, pool=number
            )
            slots = [slot for slot, top in enumerate(tops) if top.requires_grad]
            recording = _Recording(forward, buffers, [top.detach() for top in tops], slots)
            if slots:
                recording.top_diffs = [torch.zeros_like(tops[slot]) for slot in slots]
                learned = [*(x for x in buffers if x.requires_grad), *self._parameters]
                recording.backward, diffs = self._recorder.record(
                    lambda: torch.autograd.grad(
                        [tops[slot] for slot in slots],
                        learned,
                        recording.top_diffs,
                        allow_unused=True,
                    ),
                    passes=0,
                    pool=number,
                )
                first = iter(diffs)
                recording.diffs = [
                    *(next(first) if x.requires_grad else None for x in buffers),
                    *first,
                ]
        except CaffeError:
            raise
        except RuntimeError as error:
            self.obstacle = one_line(error)[:200]
            self._recordings.clear()
            first_name = self.subgraph.steps[0].node.name
            last_name = self.subgraph.steps[-1].nodes[-1].name
            log.info(
                "partition.py:0",
                f"Layers '{first_name}' to '{last_name}' are not recorded as a CUDA graph:"
                f" {self.obstacle}.",
            )
            return None
        self.places.update(
            diff.data_ptr() for diff in recording.diffs[len(buffers) :] if diff is not None
        )
        self._recordings[key] = recording
        return recording

    def replay(self, recording: _Recording, bottoms: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Replay a forward pass."""
        if bottoms:
            torch._foreach_copy_(recording.bottoms, list(bottoms))
        recording.forward()
        return tuple(top.detach() for top in recording.tops)

    def replay_backward(
        self, recording: _Recording, top_diffs: Sequence[Tensor | None]
    ) -> Sequence[Tensor | None]:
        """Replay a backward pass from the diffs of all tops (None: zeros).

        Adds to the gradients of parameters. Returns the diffs of the bottoms.
        """
        assert recording.backward is not None
        assert recording.top_diffs is not None
        for buffer, slot in zip(recording.top_diffs, recording.slots):
            given = top_diffs[slot]
            buffer.zero_() if given is None else buffer.copy_(given)
        recording.backward()
        count = len(recording.bottoms)
        sums: list[Tensor] = []
        more: list[Tensor] = []
        for parameter, diff in zip(self._parameters, recording.diffs[count:], strict=True):
            if diff is None:
                continue
            if parameter.grad is None:
                parameter.grad = diff
            else:
                sums.append(parameter.grad)
                more.append(diff)
        if sums:
            torch._foreach_add_(sums, more)
        return [None if diff is None else diff.detach() for diff in recording.diffs[:count]]


class _Replayed(torch.autograd.Function):
    """A partition's recording as a node of autograd's graph."""

    @staticmethod
    def forward(
        ctx: Context, partition: Partition, recording: _Recording, anchor: Tensor, *bottoms: Tensor
    ) -> tuple[Tensor, ...]:
        ctx.partition = partition
        ctx.recording = recording
        ctx.set_materialize_grads(False)
        tops = partition.replay(recording, bottoms)
        ctx.mark_non_differentiable(
            *(top for slot, top in enumerate(tops) if slot not in recording.slots)
        )
        return tops

    @staticmethod
    def backward(ctx: Context, *top_diffs: Tensor | None) -> tuple[Tensor | None, ...]:
        return (None, None, None, *ctx.partition.replay_backward(ctx.recording, top_diffs))
