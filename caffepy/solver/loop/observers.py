"""Who is called during a training: callbacks within an iteration, recorders of its numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

MetricRecorder: TypeAlias = Callable[[int, str, Sequence[tuple[str, float]]], None]
"""Called with an iteration, the name of a net (``train``, ``test``, ``test1``...), and the numbers
that the log shows of that net, each with its name."""


@runtime_checkable
class Callback(Protocol):
    """What is called within each iteration, see Caffe's Solver::Callback."""

    def on_start(self) -> object:
        """Before the forward pass."""

    def on_gradients_ready(self) -> object:
        """Between the backward pass and the update."""
