"""A limit on what a rank sends in a second, and who may send first."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

Priority = tuple[int, ...]


@dataclass(eq=False)
class Allowance:
    """A budget of bytes a second.  ``bytes_per_s``: 0 for no limit. ``clock``: gives seconds.

    Of the messages that wait, the one with the lowest priority number goes first, as soon as the
    budget has paid for those before it.
    """

    bytes_per_s: float = 0.0
    clock: Callable[[], float] = time.monotonic
    _paid_at: float = 0.0
    _waiting: list[tuple[Priority, int, Claim]] = field(default_factory=list)
    _serial: count[int] = field(default_factory=count)

    def claim(self, n_bytes: int, priority: Priority) -> Claim:
        """A transfer that is done when a message of this size may be sent."""
        claim = Claim(self, n_bytes, granted=not self.bytes_per_s)
        if not claim.granted:
            heapq.heappush(self._waiting, (priority, next(self._serial), claim))
        return claim

    def grant(self, claim: Claim) -> bool:
        """Whether ``claim`` is next, and may be sent now."""
        now = self.clock()
        if self._waiting[0][2] is not claim or now < self._paid_at:
            return False
        heapq.heappop(self._waiting)
        self._paid_at = now + claim.n_bytes / self.bytes_per_s
        return True


@dataclass(eq=False)
class Claim:
    """A message that waits until it may be sent."""

    allowance: Allowance
    n_bytes: int
    granted: bool

    def done(self) -> bool:
        """It may be sent."""
        self.granted = self.granted or self.allowance.grant(self)
        return self.granted
