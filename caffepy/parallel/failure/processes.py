"""What Linux tells of a job's processes: which they are, who started them, whether one is stopped.  Elsewhere: nothing.

Imported by the first act of a rank (`early_monitor`): it imports nothing that a starting Python has not loaded anyway.
"""

from __future__ import annotations

import os
import sys

PROC = "/proc"
STOPPED = "T"
GONE = "ZX"
"""A process that has ended, and of which only the number is left."""
SEEN = sys.platform == "linux"


class Process:
    """``state``: the kernel's letter; ``started``: in the kernel's ticks, which tell two processes of one number apart."""

    def __init__(self, state: str, parent: int, started: int) -> None:
        self.state, self.parent, self.started = state, parent, started

    @property
    def lives(self) -> bool:
        """It has not ended."""
        return self.state not in GONE


def look_up(pid: int) -> Process | None:
    """The process of this number; None if there is none."""
    try:
        with open(f"{PROC}/{pid}/stat", "rb") as file:
            text = file.read()
    except OSError:
        return None
    fields = text.rpartition(b")")[2].split()  # the name before it may hold anything
    return Process(fields[0].decode(), int(fields[1]), int(fields[19]))


def variable(pid: int, name: str) -> str | None:
    """A variable of the environment that this process was started with; None if there is none, or nobody tells."""
    try:
        with open(f"{PROC}/{pid}/environ", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return None
    begin = f"{name}=".encode()
    return next((os.fsdecode(word[len(begin) :]) for word in words if word.startswith(begin)), None)


def launcher_of(pid: int, name: str) -> int:
    """The process that gave ``pid``, or a shell around it, its rank in the variable ``name``: the nearest above it that has none itself.

    0 if ``pid`` was started without the variable, or nobody tells.
    """
    if variable(pid, name) is None:
        return 0
    while pid > 1 and variable(pid, name) is not None:
        found = look_up(pid)
        pid = found.parent if found is not None else 0
    return pid


def launched(launcher: int, name: str) -> dict[int, int]:
    """The processes that ``launcher`` has started, by their rank in the variable ``name``."""
    ranks: dict[int, int] = {}
    for entry in filter(str.isdecimal, os.listdir(PROC)):
        found = look_up(int(entry))
        if found is not None and found.parent == launcher and found.lives:
            rank = variable(int(entry), name)
            if rank is not None and rank.isdecimal():
                ranks[int(rank)] = int(entry)
    return ranks
