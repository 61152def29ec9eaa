"""In which order processes end.  Linux.

Imported by the first act of a rank (`early_monitor`): it imports nothing that takes time.
"""

from __future__ import annotations

import os
import select


class ProcessEnds:
    """Told which ranks' processes to look at, it tells the ranks whose processes have ended since, in the order of their ends.

    The kernel keeps that order, for who looks late, too, and notes an end before the parent is told of it: before a launcher can act on it.
    """

    def __init__(self, descriptor: int = -1, ranks: dict[int, int] | None = None) -> None:
        """``descriptor`` and ``ranks`` (by handle): what another of these has `inherit`-ed to this process."""
        self._ends = select.epoll.fromfd(descriptor) if descriptor >= 0 else select.epoll()
        self._ranks = ranks or {}

    def fileno(self) -> int:
        """Ready to be read when there is something to tell."""
        return self._ends.fileno()

    def watch(self, rank: int, pid: int) -> bool:
        """Look at one more; False if it has ended, or this system does not tell."""
        try:
            handle = os.pidfd_open(pid)
        except (OSError, AttributeError):
            return False
        self._ranks[handle] = rank
        self._ends.register(handle, select.EPOLLIN)
        return True

    def told(self) -> list[int]:
        """The ranks whose processes have ended since it was last asked."""
        handles = [handle for handle, _ in self._ends.poll(0, max(1, len(self._ranks)))]
        for handle in handles:
            os.close(handle)  # with which it is looked at no more
        return [self._ranks.pop(handle) for handle in handles]

    def inherit(self) -> tuple[int, dict[int, int]]:
        """Let a program that takes this process over go on with it."""
        for handle in (self.fileno(), *self._ranks):
            os.set_inheritable(handle, True)
        return self.fileno(), self._ranks

    def close(self) -> None:
        """Look no more."""
        for handle in self._ranks:
            os.close(handle)
        self._ends.close()
