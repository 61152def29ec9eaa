"""The ranks of one host by their processes: what the kernel tells of ranks that say nothing.

They have not begun to speak to the monitor, or have stopped to.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
from dataclasses import dataclass, field

from caffepy.parallel.failure import processes
from caffepy.parallel.failure.process_ends import ProcessEnds

START_ALL_S = 5.0
"""In this time a launcher starts all ranks of a host."""


@dataclass
class HostRanks:
    """The ranks of this host.

    ``launcher``: the process that starts them. ``name``: the variable in which it gives each its
    rank. ``count``: ranks of this host, 0 if the launcher does not tell. ``size``: of the job.
    """

    launcher: int
    name: str
    count: int
    size: int
    host: str
    launcher_tells: bool = False
    """The launcher says itself which ranks died, as ``-ranks`` does."""
    starter: int = -1
    """The rank that started the monitor; -1 if the launcher did."""
    ends: ProcessEnds = field(default_factory=ProcessEnds)
    """Tells of the ends of ``ranks``."""
    ranks: dict[int, int] = field(default_factory=dict)
    """Process by rank: those that were seen, among them those that have said hello."""
    stopped: dict[int, float] = field(default_factory=dict)
    """Ranks whose processes are stopped (SIGSTOP), and since when."""
    ending: set[int] = field(default_factory=set)
    """Ranks that have said that they end before they join the others."""
    complete: float = math.inf
    """When last no rank was missing."""

    def owns(self, pid: int) -> bool:
        """Whether a process is the launcher or was started by it."""
        return pid == self.launcher or processes.launcher_of(pid, self.name) == self.launcher

    def find(self, *, known: set[int]) -> dict[int, int]:
        """Processes by rank that were not seen before; ``known``: ranks that have said hello."""
        if self.count and len(known) >= self.count:
            return {}
        new: dict[int, int] = {}
        for rank, pid in processes.launched(self.launcher, self.name).items():
            if rank in known or self.ranks.get(rank) == pid:
                continue
            if self.ends.watch(rank, pid) or lives(pid):
                new[rank] = pid
        self.ranks.update(new)
        return new

    def never_seen(self, now: float, *, known: set[int]) -> str:
        """Names the ranks that were never seen, although others have been there for long.

        Empty if there are none.
        """
        seen = known | set(self.ranks)
        if self.launcher_tells or not known or len(seen) >= self.count:
            self.complete = now
        if now - self.complete <= START_ALL_S:
            return ""
        named = self.absent(known=known, last=" and ")
        return named or f"{self.count - len(seen)} of the {self.count} ranks on {self.host}"

    def absent(self, *, known: set[int], last: str) -> str:
        """Names the ranks that were never seen, where the whole job is on this host; else empty.

        ``last``: what stands between the last two of them.
        """
        if self.launcher_tells or self.count != self.size:
            return ""
        seen = known | set(self.ranks)
        absent = [str(rank) for rank in range(self.size) if rank not in seen]
        if not absent:
            return ""
        *others, final = absent
        numbers = f"{', '.join(others)}{last}{final}" if others else final
        return f"rank {numbers} on {self.host}"

    def lost_at_start(self, *, known: set[int]) -> str:
        """Names the rank that was lost before the monitor looked for the first time; else empty.

        The rank that started the monitor had ended by then. If others were not there either, one
        of them may have been lost first, and the launcher have ended the starter.
        """
        if self.launcher_tells or self.starter < 0:
            return ""
        if self.starter in known or self.starter in self.ranks:
            return ""
        named = self.absent(known=known, last=" or ")
        if named:
            return named
        missing = self.count - len(known | set(self.ranks))
        starter = f"rank {self.starter} on {self.host}"
        return starter if missing == 1 else f"{starter}, or another there,"

    def ended_early(self) -> list[int]:
        """The ranks that said that they end before they join, and have ended."""
        return sorted(self.ending.difference(self.alive())) if self.ending else []

    def alive(self) -> list[int]:
        """The ranks whose processes have not ended."""
        return [rank for rank, pid in self.ranks.items() if lives(pid) and self.owns(pid)]

    def kill(self, rank: int) -> None:
        """End a rank by force."""
        pid = self.ranks[rank]
        if self.owns(pid):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    def stopped_for(self, now: float, timeout_s: float) -> int | None:
        """A rank whose process has been stopped (SIGSTOP) for longer than ``timeout_s``.

        None where the launcher is stopped, or all ranks are: then somebody has suspended the job.
        """
        states: dict[int, str] = {}
        for rank, pid in self.ranks.items():
            process = processes.look_up(pid)
            if process is not None and process.lives:
                states[rank] = process.state
        stopped = [rank for rank, state in states.items() if state == processes.STOPPED]
        self.stopped = {rank: self.stopped.get(rank, now) for rank in stopped}
        launcher = processes.look_up(self.launcher)
        if launcher is None or launcher.state == processes.STOPPED:
            return None
        if not stopped or len(stopped) == len(states) > 1:
            return None
        first = min(stopped, key=self.stopped.__getitem__)
        return first if now - self.stopped[first] > timeout_s else None


def lives(pid: int) -> bool:
    """Whether there is a process of this number that has not ended."""
    process = processes.look_up(pid)
    return process is not None and process.lives
