"""How many compute threads each rank of a host may use."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caffepy.parallel.communicator import Communicator


def choose_threads(communicator: Communicator, default: int, environ: Mapping[str, str]) -> int:
    """Compute threads for this rank, out of the ``default`` that a process alone would take (``torch.get_num_threads()``).

    A process alone keeps the default, and so does every rank where the user set OMP_NUM_THREADS.
    Collective: every rank calls it.
    """
    if communicator.size == 1:
        return default
    mine = _usable_cores()
    everyone = communicator.allgather_object((communicator.host, mine))
    if environ.get("OMP_NUM_THREADS"):
        return default
    return threads_per_rank(default, mine, [cores for host, cores in everyone if host == communicator.host])


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
