"""How many compute threads each rank of a host may use."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caffepy.parallel.transport.communicator import Communicator

VARIABLE = "OMP_NUM_THREADS"
COUNTS = re.compile(r"\s*\+?0*([1-9]\d{0,17})\s*(?:,\s*\+?0*[1-9]\d{0,17}\s*)*")
"""What GNU's OpenMP takes for it: a number of threads, or one for each level of nesting. Anything else it passes over."""


def choose_threads(communicator: Communicator, default: int, environ: Mapping[str, str]) -> int:
    """Compute threads for this rank, out of the ``default`` that a process alone would take (``torch.get_num_threads()``).

    A process alone keeps the default, and so does every rank where the user asks for a number by OMP_NUM_THREADS.
    Collective: every rank calls it.
    """
    if communicator.size == 1:
        return default
    mine = _usable_cores()
    everyone = communicator.allgather_object((communicator.host, mine))
    if threads_asked(environ):
        return default
    return threads_per_rank(
        default, mine, [cores for host, cores in everyone if host == communicator.host]
    )


def threads_asked(environ: Mapping[str, str]) -> int | None:
    """The compute threads that the environment asks for; None where it says nothing of them, or nothing that counts."""
    found = COUNTS.fullmatch(environ.get(VARIABLE, ""))
    return int(found[1]) if found else None


def doubt(environ: Mapping[str, str], threads: int) -> str:
    """What is wrong with the number that the environment asks for, where ``threads`` compute; empty if nothing is."""
    given, asked, cores = (
        environ.get(VARIABLE, "").strip(),
        threads_asked(environ),
        len(_usable_cores()),
    )
    if not given or (asked is not None and asked <= cores):
        return ""
    needed = (
        "a whole number from 1"
        if asked is None
        else f"at most {cores}, the processors that this process may use"
    )
    return f"{VARIABLE} is {given!r}; needed: {needed}; computing with {threads} thread{'s' if threads > 1 else ''}"


def threads_per_rank(default: int, mine: Collection[int], ranks: Sequence[Collection[int]]) -> int:
    """``default`` times this rank's fair share of the cores ``mine``, at least 1; ``ranks``: those of every rank of the host, it included.

    Launchers may bind ranks to cores, each to its own or several to the same: a core counts for each of its ranks alike.
    """
    share = sum(1 / sum(core in cores for cores in ranks) for core in mine) / len(mine)
    return max(1, int(default * share + 1e-6))


def _usable_cores() -> frozenset[int]:
    if hasattr(os, "sched_getaffinity"):
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))
