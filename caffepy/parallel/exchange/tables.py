"""What a parameter server keeps of each bucket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from caffepy.parallel.courier import Job
from caffepy.parallel.exchange.buckets import Bucket

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(eq=False)
class Round:
    """One iteration of one bucket.  ``flat``: at first the gradient, then at the owner the sum, at last the new parameters.

    ``number``: of the iteration; with its update the parameters are of version ``number`` + 1. ``summed``: all gradients are in.
    ``updated``: the owner has made the update. ``job``: over when this rank has the new parameters, or has sent them to all.
    """

    number: int
    turn: object
    flat: Tensor
    job: Job | None = None
    summed: bool = False
    updated: bool = False


@dataclass(frozen=True)
class Flag:
    """A transfer that is done when an attribute of a round says so."""

    round: Round
    name: str

    def done(self) -> bool:
        """Look."""
        return bool(getattr(self.round, self.name))


@dataclass(eq=False)
class Table:
    """A bucket as the server keeps it.  ``owner``: the rank that updates it.

    ``slots``: memory for rounds under way. ``guesses``: by version, what this rank went on with before that version came.
    ``rounds``: those not over yet, oldest first. ``version``: of the parameters in use, ``looked``: the iteration for which
    newer ones were last looked for: they do not change within one.
    """

    bucket: Bucket
    owner: int
    slots: list[Tensor]
    guesses: list[Tensor] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    version: int = 0
    looked: int = -1

    def views(self, flat: Tensor, like: Sequence[Tensor]) -> list[Tensor]:
        """A memory of the bucket's size as its parameters; ``like``: their views in the bucket's own memory."""
        offset = flat.storage_offset() - self.bucket.flat.storage_offset()
        return [flat.as_strided(view.shape, view.stride(), view.storage_offset() + offset) for view in like]

    def over(self) -> bool:
        """The oldest round is over."""
        return bool(self.rounds) and self.rounds[0].job is not None and self.rounds[0].job.finished


def divide(sizes: Sequence[int], ranks: int) -> list[int]:
    """A rank for each size, so that their sums are about equal: the largest first, each to the rank that has least."""
    loads, owners = [0] * ranks, [0] * len(sizes)
    for index in sorted(range(len(sizes)), key=lambda index: -sizes[index]):
        owners[index] = loads.index(min(loads))
        loads[owners[index]] += sizes[index]
    return owners
