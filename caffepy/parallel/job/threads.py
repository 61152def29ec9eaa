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
"""What GNU's OpenMP accepts: a number of threads, or one for each level of nesting.

It ignores anything else.
"""


def choose_threads(communicator: Communicator, default: int, environ: Mapping[str, str]) -> int:
    """Compute threads for this rank.  Collective.

    ``default``: what a process alone would take (``torch.get_num_threads()``). A process alone
    keeps it, and so does every rank where the user sets OMP_NUM_THREADS.
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
    """The number that the environment asks for; None if it has none that OpenMP accepts."""
    match = COUNTS.fullmatch(environ.get(VARIABLE, ""))
    return int(match[1]) if match else None


def doubt(environ: Mapping[str, str], threads: int) -> str:
    """What is wrong with the number that the environment asks for; empty if nothing is.

    ``threads``: how many compute now.
    """
    given = environ.get(VARIABLE, "").strip()
    asked = threads_asked(environ)
    cores = len(_usable_cores())
    if not given or (asked is not None and asked <= cores):
        return ""
    if asked is None:
        needed = "a whole number from 1"
    else:
        needed = f"at most {cores}, the processors that this process may use"
    computing = f"computing with {threads} thread{'s' if threads > 1 else ''}"
    return f"{VARIABLE} is {given!r}; needed: {needed}; {computing}"


def threads_per_rank(default: int, mine: Collection[int], ranks: Sequence[Collection[int]]) -> int:
    """``default`` times this rank's fair share of the cores ``mine``, at least 1.

    ``ranks``: the cores of every rank of the host, with this one. Launchers may bind each rank to
    cores of its own, or several to the same ones: a core counts in equal parts for its ranks.
    """
    shares = [1 / sum(core in cores for cores in ranks) for core in mine]
    share = sum(shares) / len(mine)
    return max(1, int(default * share + 1e-6))


def _usable_cores() -> frozenset[int]:
    if hasattr(os, "sched_getaffinity"):
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))
