"""What layers keep from one pass to the next.

It always lies in the same memory, so that a recorded pass can read and write it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from caffepy.layers.core.base import Run, Shape

HIDDEN = "hidden"
"""Where `Run.state` has the tensors that go on from pass to pass."""
_BUFFERS = "buffers"
"""Where it has the memory for each set of shapes in which there were some."""
COUNT: tuple[Shape, ...] = ((1,),)
"""What a layer carries that only counts its passes."""


def state_tensors(
    run: Run, shapes: Sequence[Shape], device: torch.device, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, ...]:
    """Tensors of ``shapes``, as in `Layer.state_shapes`, with what the pass before left.

    The layer writes over them what it leaves.

    At first they are 0. Where the first axis has become shorter its first part goes on, where it
    has become longer all begin anew.
    """
    buffers = run.state.setdefault(_BUFFERS, {})
    key = (tuple(shapes), device, dtype)
    buffer: tuple[Tensor, ...] | None = buffers.get(key)
    if buffer is None:
        buffer = buffers[key] = tuple(
            torch.zeros(shape, device=device, dtype=dtype) for shape in shapes
        )
    last: Sequence[Tensor] = run.state.get(HIDDEN, ())
    if last is not buffer:
        goes_on = len(last) == len(buffer) and all(
            a.shape[1:] == b.shape[1:] and len(a) >= len(b) for a, b in zip(last, buffer)
        )
        for mine, other in zip(buffer, last if goes_on else buffer):
            mine.copy_(other[: len(mine)]) if goes_on else mine.zero_()
        run.state[HIDDEN] = buffer
    return buffer


def copied_state(state: dict[str, Any]) -> dict[str, Any]:
    """A copy of `Run.state` for a pass that is not to count.

    That pass carries on from there in memory of its own.
    """
    return {key: value for key, value in state.items() if key != _BUFFERS}


def passes_before(run: Run, device: torch.device) -> Tensor:
    """How many passes a layer had before this one, a tensor without axes.

    For layers that carry a `COUNT`.
    """
    (passed,) = state_tensors(run, COUNT, device)
    before = passed[0].clone()
    passed.add_(1)
    return before
