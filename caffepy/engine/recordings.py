"""What recordings of passes read and leave, and what callers of an iteration give and get."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from torch import Tensor

T = TypeVar("T")
Inputs = dict[int, Tensor]
"""By value, the tensors that come from outside for one pass, on the device."""


@dataclass
class Results:
    """What a pass leaves, or an iteration.

    ``loss``: the mean over the passes. ``kept``: the outputs, by value.
    ``report``: what the update of an iteration returned.
    """

    loss: Tensor
    kept: dict[int, Tensor]
    gradients: list[Tensor | None]
    report: Any = None


@dataclass
class Recording:
    """A recorded pass, or several passes and an update.

    ``inputs``: the caller overwrites them before a replay. The replay overwrites ``results``.
    """

    replay: Callable[[], None]
    results: Results
    inputs: list[Inputs]


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Ending(Generic[T]):
    """What an iteration does beside its passes.

    ``update``: changes the parameters by their gradients; the host does not wait in it.
    ``listen``: called before the last pass.
    ``forget``: called if a recording failed; what the other two did in it does not count.
    """

    update: Callable[[Sequence[Tensor | None]], T]
    listen: Callable[[], None] = _nothing
    forget: Callable[[], None] = _nothing

    def each_pass(self, passes: Sequence[Inputs]) -> Iterator[Inputs]:
        """The inputs of all passes, one after the other."""
        yield from passes[:-1]
        self.listen()
        yield passes[-1]


@dataclass(frozen=True)
class Iterated(Generic[T]):
    """The mean loss of an iteration.

    ``updated``: the parameters are updated, too, and the update returned ``report``.
    """

    loss: Tensor
    updated: bool = False
    report: T | None = None


def shapes_of(inputs: Inputs) -> tuple[object, ...]:
    """The shapes of the inputs, by value: a key for recordings."""
    return tuple((value, tuple(tensor.shape)) for value, tensor in inputs.items())


def mean(losses: Sequence[Tensor]) -> Tensor:
    """The mean loss of some passes, at least one."""
    return sum(losses[1:], losses[0]) / len(losses) if len(losses) > 1 else losses[0]
