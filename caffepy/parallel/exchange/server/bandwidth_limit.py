"""A limit on what a rank sends in a second, and who may send first."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

Priority = tuple[int, ...]


@dataclass(eq=False)
class BandwidthLimit:
    """A budget of bytes a second.  ``bytes_per_s``: 0 for no limit. ``clock``: gives seconds.

    Of the messages that wait, the one with the lowest priority number goes first, as soon as the
    budget has paid for those before it.
    """

    bytes_per_s: float = 0.0
    clock: Callable[[], float] = time.monotonic
    _paid_at: float = 0.0
    _waiting: list[tuple[Priority, int, Permission]] = field(default_factory=list)
    _serial: count[int] = field(default_factory=count)

    def request(self, n_bytes: int, priority: Priority) -> Permission:
        """A transfer that is done when a message of this size may be sent."""
        permission = Permission(self, n_bytes, granted=not self.bytes_per_s)
        if not permission.granted:
            heapq.heappush(self._waiting, (priority, next(self._serial), permission))
        return permission

    def grant(self, permission: Permission) -> bool:
        """Whether ``permission`` is next, and may be sent now."""
        now = self.clock()
        if self._waiting[0][2] is not permission or now < self._paid_at:
            return False
        heapq.heappop(self._waiting)
        self._paid_at = now + permission.n_bytes / self.bytes_per_s
        return True


@dataclass(eq=False)
class Permission:
    """A message that waits until it may be sent."""

    limit: BandwidthLimit
    n_bytes: int
    granted: bool

    def done(self) -> bool:
        """It may be sent."""
        self.granted = self.granted or self.limit.grant(self)
        return self.granted
