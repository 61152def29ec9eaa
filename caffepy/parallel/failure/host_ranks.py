"""The ranks of one host by their processes: what the kernel tells of those that say nothing, yet or any more."""

from __future__ import annotations

import contextlib
import math
import os
import signal
from dataclasses import dataclass, field

from caffepy.parallel.failure import processes
from caffepy.parallel.failure.process_ends import ProcessEnds

SEEN_S = 5.0
"""In which a launcher starts all ranks of a host."""


@dataclass
class HostRanks:
    """The ranks of this host by their processes, from before they can say anything.

    ``launcher``: the process that starts them, giving each its number in the variable ``name``. ``count``: how many; 0 if nobody told.
    ``size``: how many the job has. ``told``: the launcher says itself which of them died.
    """

    launcher: int
    name: str
    count: int
    size: int
    host: str
    told: bool = False
    starter: int = -1
    """The rank that started the monitor, if one did."""
    ends: ProcessEnds = field(default_factory=ProcessEnds)
    """Told of those that are found."""
    ranks: dict[int, int] = field(default_factory=dict)
    """Process by rank; those that have said hello among them."""
    stopped: dict[int, float] = field(default_factory=dict)
    """Since when, by rank."""
    aside: set[int] = field(default_factory=set)
    """The ranks that have said that they end before they join the others."""
    short: float = math.inf
    """When it was last so that no rank was missing."""

    def knows(self, pid: int) -> bool:
        """Whether a process is the launcher or was started by it."""
        return pid == self.launcher or processes.launcher_of(pid, self.name) == self.launcher

    def find(self, *, known: set[int]) -> dict[int, int]:
        """Processes of ranks beside the ``known``, by rank, that were not found before."""
        if self.count and len(known) >= self.count:
            return {}
        found = processes.launched(self.launcher, self.name)
        new = {
            rank: pid
            for rank, pid in found.items()
            if rank not in known and self.ranks.get(rank) != pid and (self.ends.watch(rank, pid) or lives(pid))
        }
        self.ranks.update(new)
        return new

    def unseen(self, now: float, *, known: set[int]) -> str:
        """Words for ranks that were never seen, neither as processes nor by a word, though others are there for long; empty if there are
        none."""
        seen = known | set(self.ranks)
        if self.told or not known or len(seen) >= self.count:
            self.short = now
        if now - self.short <= SEEN_S:
            return ""
        return self.absent(known=known, last=" and ") or f"{self.count - len(seen)} of the {self.count} ranks on {self.host}"

    def absent(self, *, known: set[int], last: str) -> str:
        """Words for the ranks that were never seen, where all of the job are on this host; empty if there are none.

        ``last``: what stands between the last two of them.
        """
        absent = [] if self.told or self.count != self.size else sorted(set(range(self.size)) - known - set(self.ranks))
        words = f"{', '.join(map(str, absent[:-1]))}{last}{absent[-1]}" if len(absent) > 1 else "".join(map(str, absent))
        return f"rank {words} on {self.host}" if absent else ""

    def first_lost(self, *, known: set[int]) -> str:
        """Words for whom was lost before anybody looked, if the rank that started the monitor had ended by then; else empty.

        Others that were not there either may have been lost first: then their launcher has ended this one.
        """
        if self.told or self.starter < 0 or self.starter in known or self.starter in self.ranks:
            return ""
        one = f"rank {self.starter} on {self.host}"
        missing = self.count - len(known | set(self.ranks))
        return self.absent(known=known, last=" or ") or (one if missing == 1 else f"{one}, or another there,")

    def gone_aside(self) -> list[int]:
        """The ranks that said that they end, and have."""
        return sorted(self.aside.difference(self.alive())) if self.aside else []

    def alive(self) -> list[int]:
        """The ranks whose processes have not ended."""
        return [rank for rank, pid in self.ranks.items() if lives(pid) and self.knows(pid)]

    def kill(self, rank: int) -> None:
        """End a rank by force."""
        if self.knows(self.ranks[rank]):
            with contextlib.suppress(OSError):
                os.kill(self.ranks[rank], signal.SIGKILL)

    def halted(self, now: float, timeout_s: float) -> int | None:
        """A rank whose process has been stopped (SIGSTOP) for longer, where neither the launcher is nor all the others are."""
        states = {rank: found.state for rank, pid in self.ranks.items() if (found := processes.look_up(pid)) is not None and found.lives}
        self.stopped = {rank: self.stopped.get(rank, now) for rank, state in states.items() if state == processes.STOPPED}
        launcher = processes.look_up(self.launcher)
        suspended = launcher is None or launcher.state == processes.STOPPED or len(self.stopped) == len(states) > 1
        first = min(self.stopped, key=self.stopped.__getitem__, default=None)
        return first if first is not None and not suspended and now - self.stopped[first] > timeout_s else None


def lives(pid: int) -> bool:
    """Whether there is a process of this number that has not ended."""
    found = processes.look_up(pid)
    return found is not None and found.lives
