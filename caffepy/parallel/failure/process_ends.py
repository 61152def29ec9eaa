"""In which order processes end.  Linux.

Imported by the first act of a rank (`early_monitor`): it imports nothing that takes time.
"""

from __future__ import annotations

import os
import select


class ProcessEnds:
    """Tells which of the ranks' processes have ended, in the order of their ends.

    The kernel keeps that order, also for a program that asks late. It notes an end before it tells
    the parent of it, that is, before a launcher can act on it.
    """

    def __init__(self, descriptor: int = -1, ranks: dict[int, int] | None = None) -> None:
        """``descriptor``, ``ranks`` by handle: what `inherit` gave in the program before this."""
        self._epoll = select.epoll.fromfd(descriptor) if descriptor >= 0 else select.epoll()
        self._ranks = ranks or {}

    def fileno(self) -> int:
        """Ready to be read when a process has ended."""
        return self._epoll.fileno()

    def watch(self, rank: int, pid: int) -> bool:
        """Watch one more process; False if it has ended, or if this system has no handles of it."""
        try:
            handle = os.pidfd_open(pid)
        except (OSError, AttributeError):
            return False
        self._ranks[handle] = rank
        self._epoll.register(handle, select.EPOLLIN)
        return True

    def ended(self) -> list[int]:
        """The ranks whose processes have ended since the last call."""
        handles = [handle for handle, _ in self._epoll.poll(0, max(1, len(self._ranks)))]
        for handle in handles:
            os.close(handle)  # which also takes it out of the epoll
        return [self._ranks.pop(handle) for handle in handles]

    def inherit(self) -> tuple[int, dict[int, int]]:
        """Descriptor and ranks by handle, which a program that replaces this one (exec) can use."""
        for handle in (self.fileno(), *self._ranks):
            os.set_inheritable(handle, True)
        return self.fileno(), self._ranks

    def close(self) -> None:
        """Watch nothing any more."""
        for handle in self._ranks:
            os.close(handle)
        self._epoll.close()
