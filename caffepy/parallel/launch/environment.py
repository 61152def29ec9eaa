"""Who launched this process, told from the variables of its environment.

Seen in real jobs of Open MPI 5 and MPICH 5 (Hydra); the others as their documentation says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from caffepy.errors import ParallelError
from caffepy.parallel.launch.variables import (
    LAUNCHERS,
    MOST_DIGITS,
    STARTED_BY,
    TORCHRUN,
    by_torchrun,
)

Environment = Mapping[str, str]


@dataclass(frozen=True)
class Launch:
    """This process's place in the job, before any rank has talked to another.

    ``launcher``: ``single``, ``openmpi``, ``mpich``, ``mvapich``, ``torchrun`` or ``slurm``.
    ``local_rank``, ``local_size``: place among the ranks of this host; None where the launcher
    does not tell. ``variable``: the one that holds the rank. ``name``: the launcher in messages,
    where that is another word than ``launcher``.
    """

    launcher: str
    rank: int
    size: int
    local_rank: int | None
    local_size: int | None
    host: str
    variable: str = field(default="", compare=False)
    name: str = field(default="", compare=False)

    @property
    def started_by(self) -> str:
        """The launcher in messages."""
        return self.name or self.launcher

    @property
    def is_alone(self) -> bool:
        """One rank, with or without a launcher."""
        return self.size == 1


def alone(host: str = "") -> Launch:
    """A process that nobody else computes with."""
    return Launch("single", 0, 1, 0, 1, host)


def detect(environ: Environment, host: str) -> Launch:
    """The launch that ``environ`` describes, on the machine called ``host``.

    A single process if there is no launcher. The innermost launcher wins: mpirun inside a Slurm
    job, torchrun started by srun.
    Errors: ParallelError when a launcher's variables are incomplete or make no sense.
    """
    for detector in DETECTORS:
        launch = detector(environ, host)
        if launch is not None:
            return launch
    return alone(host)


def listed(environ: Environment, host: str) -> Launch | None:
    """A launcher of the table `LAUNCHERS`: Open MPI, MVAPICH, MPICH and its relatives, torchrun."""
    for launcher, *names in LAUNCHERS:
        rank_name = names[0]
        if rank_name not in environ or (launcher == TORCHRUN and not by_torchrun(environ)):
            continue
        launch = _launch(launcher, environ, host, *names)
        return replace(launch, name=environ.get(STARTED_BY, "")) if launcher == TORCHRUN else launch
    return None


def slurm(environ: Environment, host: str) -> Launch | None:
    """srun, when it started several tasks.

    The shell and the batch script of an allocation have SLURM_PROCID too, but no step with a number
    of tasks.
    """
    size_name = "SLURM_STEP_NUM_TASKS"
    if not environ.get(size_name) and "SLURM_STEP_ID" in environ:
        size_name = "SLURM_NTASKS"
    if "SLURM_PROCID" not in environ or environ.get(size_name, "1") in ("", "1"):
        return None
    return _checked(
        Launch(
            launcher="slurm",
            rank=_number(environ, "SLURM_PROCID"),
            size=_number(environ, size_name),
            local_rank=_number(environ, "SLURM_LOCALID") if "SLURM_LOCALID" in environ else None,
            local_size=_slurm_local_size(environ),
            host=host,
            variable="SLURM_PROCID",
        )
    )


def pmix(environ: Environment, host: str) -> Launch | None:
    """A PMIx launcher that none of the others recognised: it tells the rank but no size."""
    if "PMIX_RANK" not in environ or "SLURM_PROCID" in environ:
        return None
    raise ParallelError(
        f"PMIX_RANK={environ['PMIX_RANK']} is set, but no variable says how many ranks there are; "
        "needed: a launcher that sets both (mpirun, mpiexec, srun, torchrun)"
    )


DETECTORS: tuple[Callable[[Environment, str], Launch | None], ...] = (listed, slurm, pmix)
"""Innermost launcher first."""


def _launch(launcher: str, environ: Environment, host: str, *names: str) -> Launch:
    """The launch told by four variables: rank, size, local rank and local size.

    The last two may be missing.
    """
    rank_name, size_name, local_rank_name, local_size_name = names
    if size_name not in environ:
        raise ParallelError(
            f"{rank_name}={environ[rank_name]} is set without {size_name}; needed: both, "
            f"as {launcher} sets them, or neither (unset {rank_name} to run a single process)"
        )
    return _checked(
        Launch(
            launcher=launcher,
            rank=_number(environ, rank_name),
            size=_number(environ, size_name),
            local_rank=_number(environ, local_rank_name) if local_rank_name in environ else None,
            local_size=_number(environ, local_size_name) if local_size_name in environ else None,
            host=host,
            variable=rank_name,
        )
    )


def _checked(launch: Launch) -> Launch:
    if not 0 <= launch.rank < launch.size:
        raise ParallelError(
            f"{launch.variable}={launch.rank} in a job of {launch.size} ranks; "
            f"needed: 0 to {launch.size - 1}"
        )
    return launch


def _number(environ: Environment, name: str) -> int:
    text = environ[name]
    if not re.fullmatch(rf"\s*-?\d{{1,{MOST_DIGITS}}}\s*", text):
        raise ParallelError(f"{name}='{text}'; needed: a whole number")
    return int(text)


def _slurm_local_size(environ: Environment) -> int | None:
    """Tasks on this node by ``SLURM_STEP_TASKS_PER_NODE=4(x2),3``; None if it cannot be told."""
    counts: list[int] = []
    for part in environ.get("SLURM_STEP_TASKS_PER_NODE", "").split(","):
        match = re.fullmatch(r"(\d{1,9})(?:\(x(\d{1,9})\))?", part.strip())
        if match is None:
            return None
        counts += [int(match[1])] * int(match[2] or 1)
    node = environ.get("SLURM_NODEID", "")
    return counts[int(node)] if node.isdigit() and int(node) < len(counts) else None
