"""What LSTM and RNN share: bottoms, the hidden state, and the loop over time.

The hidden state lasts from pass to pass.
"""

# T time steps, N streams, D elements of an input, H num_output

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import torch
from torch import Tensor

from caffepy.layers.core.base import BlobSpec, Layer, Run, Shape, at_least, count
from caffepy.layers.core.products import linear
from caffepy.layers.core.state import state_tensors
from caffepy.layers.core.traits import Gradients, Quirks
from caffepy.proto import caffe_pb2

States = tuple[Tensor, ...]


class RecurrentLayer(Layer):
    """Base of recurrent layers; a subclass names its ``states`` and defines `step`."""

    bottoms = at_least(2)
    tops = at_least(1)
    gradients = Gradients(refused=(1,), unforced=(1,))
    quirks = Quirks(learns_frozen=True)
    states: ClassVar[tuple[str, ...]]
    """The hidden states, each (N, H)."""
    blobs_in_time: ClassVar[int]
    """How many blobs, behind those of `input_blobs`, are read in each time step.

    Caffe has layers for each step, which share them.
    """

    @classmethod
    def remembers(cls, param: caffe_pb2.LayerParameter) -> bool:
        """Its hidden state goes on."""
        return True

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Read the fields and check the counts."""
        p = self.param.recurrent_param
        self.num_output = int(p.num_output)
        self.exposed = len(self.states) if p.expose_hidden else 0
        if self.num_output < 1:
            raise self.fail("num_output is 0; needed: at least 1")
        least = 2 + self.exposed
        if len(bottoms) not in (least, least + 1):
            hidden = f", {' and '.join(self.states)} (expose_hidden)" if self.exposed else ""
            raise self.fail(
                f"takes {least} or {least + 1} bottoms, {len(bottoms)} given; needed: x, cont,"
                f" maybe a static input{hidden}"
            )
        if self.top_count != 1 + self.exposed:
            raise self.fail(f"makes {1 + self.exposed} top(s), {self.top_count} given")
        self.static = 2 if len(bottoms) > least else None
        if len(bottoms[0]) < 2:
            raise self.fail(
                f"bottom 0 has {len(bottoms[0])} axes; needed: at least 2 (time steps, streams)"
            )
        self.steps = bottoms[0][0]
        self.inputs = count(bottoms[0], 2)
        if self.static is not None and not bottoms[2]:
            raise self.fail("bottom 2, the static input, has 0 axes; needed: (streams, ...)")
        self.static_inputs = count(bottoms[2], 1) if self.static is not None else 0
        first = 2 if self.static is None else 3
        in_time = tuple(range(first, first + self.blobs_in_time))
        self.quirks = replace(
            self.quirks,
            always_written=(0,) if self.static is None else (0, self.static),
            drawn_again=in_time * (self.steps - 1),  # for each time step but the first
        )

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """(T, N, H), and (1, N, H) for each exposed state."""
        x, cont = bottoms[:2]
        if len(x) < 2 or x[0] != self.steps:
            raise self.fail(
                f"bottom 0 is {x}; needed: {self.steps} time steps,"
                " as at the start (they cannot change)"
            )
        if not self.steps:
            raise self.fail(f"bottom 0 is {x}; needed: at least 1 time step")
        if cont != x[:2]:
            raise self.fail(
                f"bottom 1, cont, is {cont}; needed: {x[:2]},"
                " the time steps and streams of bottom 0"
            )
        if count(x, 2) != self.inputs:
            raise self.fail(
                f"an input has {count(x, 2)} elements; needed: {self.inputs},"
                " which the weights were made for"
            )
        streams = x[1]
        if self.static is not None:
            static = bottoms[2]
            if not static or static[0] != streams or count(static, 1) != self.static_inputs:
                raise self.fail(
                    f"bottom 2, the static input, is {static};"
                    f" needed: {streams} streams of {self.static_inputs} elements"
                )
        state = (1, streams, self.num_output)
        for i in range(len(bottoms) - self.exposed, len(bottoms)):
            if bottoms[i] != state:
                raise self.fail(f"bottom {i}, a hidden state, is {bottoms[i]}; needed: {state}")
        return ((self.steps, streams, self.num_output), *(state,) * self.exposed)

    def input_blobs(self, rows: int) -> tuple[BlobSpec, ...]:
        """The first parameters: weight and bias for the inputs, ``rows`` of them.

        With a static input its weight, too.
        """
        p = self.param.recurrent_param
        static = (
            (BlobSpec((rows, self.static_inputs), p.weight_filler),)
            if self.static is not None
            else ()
        )
        return (
            BlobSpec((rows, self.inputs), p.weight_filler),
            BlobSpec((rows,), p.bias_filler),
            *static,
        )

    def step(
        self, states: States, entry: Tensor, cont: Tensor, blobs: Sequence[Tensor]
    ) -> tuple[Tensor, States]:
        """One time step: output (N, H) and new states.

        ``entry``: the inputs' part of it (N, rows). ``cont``: (N,).
        """
        raise NotImplementedError

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """All time steps.

        The last states are kept for the next pass, unless they come and go as blobs.
        """
        x = bottoms[0].flatten(2) if bottoms[0].dim() > 2 else bottoms[0].unsqueeze(2)
        cont = bottoms[1].detach()
        static = bottoms[2].flatten(1) if self.static is not None and bottoms[2].dim() > 1 else None
        if self.static is not None and static is None:
            static = bottoms[2].unsqueeze(1)
        states = self._first(bottoms, x, run)
        top, states = self.steps_of(states, x, static, cont, blobs)
        if not self.exposed:
            self._leave(states, x, run)
        return (
            top,
            *(state.detach().clone().unsqueeze(0) for state in states[: self.exposed]),
        )

    def steps_of(
        self,
        states: States,
        x: Tensor,
        static: Tensor | None,
        cont: Tensor,
        blobs: Sequence[Tensor],
    ) -> tuple[Tensor, States]:
        """All time steps, one after the other: outputs (T, N, H) and the last states.

        ``x`` (T, N, D), ``static`` (N, S) or None, ``cont`` (T, N).
        """
        entries = linear(x, blobs[0], blobs[1])  # of all time steps at once
        if static is not None:
            entries = entries + linear(static, blobs[2])
        outputs = []
        for t in range(self.steps):
            output, states = self.step(states, entries[t], cont[t], blobs)
            outputs.append(output)
        return torch.stack(outputs), states

    def state_shapes(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The hidden states, unless they come and go as blobs."""
        return () if self.exposed else self._each(bottoms[0][1])

    def flops(self, bottoms: Sequence[Shape], tops: Sequence[Shape]) -> int:
        """Two for each weight, time step and stream; the static input counts once a stream."""
        once = count(self.blobs[2].shape) if self.static is not None else 0
        each = sum(count(blob.shape) for blob in self.blobs if len(blob.shape) == 2) - once
        return 2 * bottoms[0][1] * (self.steps * each + once)

    def _each(self, streams: int) -> tuple[Shape, ...]:
        return ((streams, self.num_output),) * len(self.states)

    def _first(self, bottoms: Sequence[Tensor], x: Tensor, run: Run) -> States:
        """States before the first step, without gradient: from the bottoms, or the last pass.

        Of fewer streams the first go on.
        """
        if self.exposed:
            return tuple(state.detach().squeeze(0) for state in bottoms[-self.exposed :])
        # backward reads them
        return tuple(
            state.clone() for state in state_tensors(run, self._each(x.shape[1]), x.device, x.dtype)
        )

    def _leave(self, states: States, x: Tensor, run: Run) -> None:
        """Let the next pass begin with ``states``."""
        for kept, state in zip(
            state_tensors(run, self._each(x.shape[1]), x.device, x.dtype), states
        ):
            kept.copy_(state.detach())
