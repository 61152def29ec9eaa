"""What a parameter server keeps of each bucket."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from caffepy.parallel.exchange.core.buckets import Bucket
from caffepy.parallel.exchange.server.roles import TableRoles
from caffepy.parallel.transport.transfer import Transfer

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(eq=False)
class GroupGradient:
    """A group's gradient on its way to the owner, in memory of its own.

    ``number``: of its iteration. ``arrival``: done when it has come.
    """

    number: int
    flat: Tensor
    arrival: Transfer


@dataclass(eq=False)
class Round:
    """One iteration of one bucket.

    ``number``: of the iteration; with its update, parameters are of version ``number`` + 1.
    ``flat``: first the gradient, at the owner then the sum, at last the new parameters.
    ``own``: at an owner that does not wait for ever, its own gradient.
    ``joined``: the gradient is the sum over this rank's group.
    ``summed``: all gradients are in it.
    ``updated``: the owner has made the update.
    ``over``: this rank has the new parameters, and nothing is sent from ``flat`` any more.
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
    """A transfer that is done when an attribute of a round is true."""

    round: Round
    name: str

    def done(self) -> bool:
        return bool(getattr(self.round, self.name))


@dataclass(eq=False)
class Quorum:
    """A transfer that is done when an owner need not wait any longer.

    That is when all ``gradients`` have come; or when the first of iteration ``number`` came
    ``timeout_s`` ago, and none is missing that is ``late`` iterations older.
    """

    gradients: Sequence[GroupGradient]
    number: int
    late: int
    timeout_s: float
    clock: Callable[[], float] = time.monotonic
    began: float | None = None

    def done(self) -> bool:
        missing = [gradient for gradient in self.gradients if not gradient.arrival.done()]
        if not missing:
            return True
        if self.began is None:
            here = any(
                gradient.number == self.number and gradient not in missing
                for gradient in self.gradients
            )
            self.began = self.clock() if here else None
        in_time = self.began is None or self.clock() - self.began < self.timeout_s
        return not in_time and all(
            gradient.number > self.number - self.late for gradient in missing
        )


@dataclass(eq=False)
class Table:
    """A bucket as the parameter server keeps it.

    ``roles``: who updates it, and who sends it to whom.
    ``slots``: memory for rounds under way.
    ``rounds``: those that are not over, oldest first.
    ``version``: of the parameters in use.
    ``looked``: the iteration in which newer ones were last looked for: parameters do not change
    within an iteration.
    ``guesses``: by version, the parameters that this rank went on with before that version came.
    ``late``: gradients that came too late for their round, or have not come.
    """

    bucket: Bucket
    roles: TableRoles
    slots: list[Tensor]
    guesses: list[Tensor] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    version: int = 0
    looked: int = -1
    late: list[GroupGradient] = field(default_factory=list)

    def views(self, flat: Tensor, like: Sequence[Tensor]) -> list[Tensor]:
        """A memory of the bucket's size as views of the parameters' shapes.

        ``like``: these views in the bucket's own memory.
        """
        offset = flat.storage_offset() - self.bucket.flat.storage_offset()
        return [
            flat.as_strided(view.shape, view.stride(), view.storage_offset() + offset)
            for view in like
        ]
