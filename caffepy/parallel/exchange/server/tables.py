"""What a parameter server keeps of each bucket."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from caffepy.parallel.exchange.core.buckets import Bucket
from caffepy.parallel.exchange.server.seats import Seat
from caffepy.parallel.transport.transfer import Transfer

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(eq=False)
class Gift:
    """A group's gradient on its way to the owner, in memory of its own.  ``arrival``: done when it is there."""

    number: int
    flat: Tensor
    arrival: Transfer


@dataclass(eq=False)
class Round:
    """One iteration of one bucket.  ``flat``: at first the gradient, then at the owner the sum, at last the new parameters.

    ``number``: of the iteration; with its update the parameters are of version ``number`` + 1. ``joined``: the gradient is that of this
    rank's group. ``summed``: all gradients are in. ``updated``: the owner has made the update. ``over``: this rank has the new
    parameters, and what it sent of them needs ``flat`` no more. ``own``: where the owner waits for gradients for some time only, its own.
    """

    number: int
    iteration: object
    flat: Tensor
    own: Tensor | None = None
    joined: bool = False
    summed: bool = False
    updated: bool = False
    over: bool = False


@dataclass(frozen=True)
class Flag:
    """A transfer that is done when an attribute of a round says so."""

    round: Round
    name: str

    def done(self) -> bool:
        """Look."""
        return bool(getattr(self.round, self.name))


@dataclass(eq=False)
class Quorum:
    """A transfer that is done when all ``gifts`` are there; or when one of ``number`` has been for ``timeout_s``, and all are that are
    ``late`` iterations older.
    """

    gifts: Sequence[Gift]
    number: int
    late: int
    timeout_s: float
    clock: Callable[[], float] = time.monotonic
    began: float | None = None

    def done(self) -> bool:
        """Look at all."""
        missing = [gift for gift in self.gifts if not gift.arrival.done()]
        if not missing:
            return True
        if self.began is None:
            here = any(gift.number == self.number and gift not in missing for gift in self.gifts)
            self.began = self.clock() if here else None
        in_time = self.began is None or self.clock() - self.began < self.timeout_s
        return not in_time and all(gift.number > self.number - self.late for gift in missing)


@dataclass(eq=False)
class Table:
    """A bucket as the server keeps it.  ``seat``: who updates it, and who sends it where.

    ``slots``: memory for rounds under way. ``guesses``: by version, what this rank went on with before that version came.
    ``rounds``: those not over yet, oldest first. ``version``: of the parameters in use, ``looked``: the iteration for which
    newer ones were last looked for: they do not change within one. ``late``: gradients that came too late for their round, or will.
    """

    bucket: Bucket
    seat: Seat
    slots: list[Tensor]
    guesses: list[Tensor] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    version: int = 0
    looked: int = -1
    late: list[Gift] = field(default_factory=list)

    def views(self, flat: Tensor, like: Sequence[Tensor]) -> list[Tensor]:
        """A memory of the bucket's size as its parameters; ``like``: their views in the bucket's own memory."""
        offset = flat.storage_offset() - self.bucket.flat.storage_offset()
        return [
            flat.as_strided(view.shape, view.stride(), view.storage_offset() + offset)
            for view in like
        ]
