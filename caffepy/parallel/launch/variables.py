"""Environment variables about ranks: those that launchers set, and our own.

Imported by the first act of a rank (`failure.early_monitor`): it imports nothing that takes time.
"""

from __future__ import annotations

from collections.abc import Mapping

TORCHRUN = "torchrun"

LAUNCHERS = (
    (
        "openmpi",
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "OMPI_COMM_WORLD_LOCAL_SIZE",
    ),
    (
        "mvapich",
        "MV2_COMM_WORLD_RANK",
        "MV2_COMM_WORLD_SIZE",
        "MV2_COMM_WORLD_LOCAL_RANK",
        "MV2_COMM_WORLD_LOCAL_SIZE",
    ),
    (
        "mvapich",
        "MVP_COMM_WORLD_RANK",
        "MVP_COMM_WORLD_SIZE",
        "MVP_COMM_WORLD_LOCAL_RANK",
        "MVP_COMM_WORLD_LOCAL_SIZE",
    ),
    ("mpich", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
    (TORCHRUN, "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"),
)
"""Launchers, and their variables: a process's rank, the number of ranks, and both on its host.

Innermost first: mpirun inside a job of torchrun counts. MVAPICH has another prefix since version 3.
MPICH's are also those of Intel MPI, and of srun with PMI-1 or PMI-2.
"""
MOST_DIGITS = 18
"""Of a number in these variables."""

STARTED_BY = "CAFFEPY_STARTED_BY"
"""Our own: the flag that stands in for torchrun and has set torchrun's variables."""
LISTEN = "CAFFEPY_LISTEN"
"""Our own, beside torchrun's: the address at which rank 0 listens; empty at the other ranks."""


def by_torchrun(environ: Mapping[str, str]) -> bool:
    """RANK is torchrun's: a common word, so it counts only beside another variable of torchrun."""
    return "MASTER_ADDR" in environ or "TORCHELASTIC_RUN_ID" in environ
