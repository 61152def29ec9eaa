"""What Linux tells of a job's processes: which there are, who started them, which are stopped.

Other systems tell nothing. Imported by the first act of a rank (`early_monitor`): it imports
nothing that a starting Python has not loaded already.
"""

from __future__ import annotations

import os
import sys

PROC = "/proc"
STOPPED = "T"
GONE = "ZX"
"""A process that has ended and whose parent has not asked for its status."""
ON_LINUX = sys.platform == "linux"


class Process:
    """``state``: the kernel's letter.

    ``started``: in the kernel's ticks; it tells two processes apart that had one number.
    """

    def __init__(self, state: str, parent: int, started: int) -> None:
        self.state = state
        self.parent = parent
        self.started = started

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
    fields = text.rpartition(b")")[2].split()  # the program's name before it may hold anything
    return Process(fields[0].decode(), int(fields[1]), int(fields[19]))


def variable(pid: int, name: str) -> str | None:
    """A variable of the environment that this process was started with.

    None if it has no such variable, or if this user may not read it.
    """
    try:
        with open(f"{PROC}/{pid}/environ", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return None
    begin = f"{name}=".encode()
    return next((os.fsdecode(word[len(begin) :]) for word in words if word.startswith(begin)), None)


def launcher_of(pid: int, name: str) -> int:
    """The launcher that gave process ``pid`` its rank in the variable ``name``.

    That is the nearest process above it that has no such variable: a shell may stand between.
    0 if ``pid`` was started without the variable, or if that cannot be read.
    """
    if variable(pid, name) is None:
        return 0
    while pid > 1 and variable(pid, name) is not None:
        process = look_up(pid)
        pid = process.parent if process is not None else 0
    return pid


def launched(launcher: int, name: str) -> dict[int, int]:
    """The processes that ``launcher`` has started, by their rank in the variable ``name``."""
    ranks: dict[int, int] = {}
    for entry in filter(str.isdecimal, os.listdir(PROC)):
        process = look_up(int(entry))
        if process is not None and process.parent == launcher and process.lives:
            rank = variable(int(entry), name)
            if rank is not None and rank.isdecimal():
                ranks[int(rank)] = int(entry)
    return ranks
