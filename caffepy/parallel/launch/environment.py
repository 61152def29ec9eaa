"""Who launched this process: one small function per launcher, each a pure function of an environment.

Seen in real jobs of Open MPI 5 and MPICH 5 (Hydra); the others as their documentation says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from caffepy.errors import ParallelError
from caffepy.parallel.launch.variables import STARTED_BY

Environment = Mapping[str, str]


@dataclass(frozen=True)
class Launch:
    """This process's place in the job, before any rank has talked to another.

    ``launcher``: ``single``, ``openmpi``, ``mpich``, ``mvapich``, ``torchrun`` or ``slurm``.
    ``local_rank``, ``local_size``: place among the ranks of this host; None where the launcher does not say.
    ``variable``: where the launcher put the rank. ``name``: the launcher for people, if not by the word of ``launcher``.
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
    """The launch that ``environ`` describes, on the machine called ``host``; without a launcher, a single process.

    Errors: ParallelError when a launcher's variables are incomplete or make no sense.
    The innermost launcher wins: mpirun inside a Slurm job, torchrun started by srun.
    """
    for launcher in LAUNCHERS:
        launch = launcher(environ, host)
        if launch is not None:
            return launch
    return alone(host)


def open_mpi(environ: Environment, host: str) -> Launch | None:
    """Open MPI's mpirun."""
    return _launch("openmpi", environ, host, *_prefixed("OMPI_COMM_WORLD_"))


def mvapich(environ: Environment, host: str) -> Launch | None:
    """MVAPICH's mpirun_rsh and mpiexec: ``MV2_`` up to version 2, ``MVP_`` since version 3."""
    for prefix in ("MV2_COMM_WORLD_", "MVP_COMM_WORLD_"):
        launch = _launch("mvapich", environ, host, *_prefixed(prefix))
        if launch is not None:
            return launch
    return None


def mpich(environ: Environment, host: str) -> Launch | None:
    """MPICH's Hydra, Intel MPI, and srun with PMI-1 or PMI-2."""
    return _launch("mpich", environ, host, "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS")


def torchrun(environ: Environment, host: str) -> Launch | None:
    """torchrun. Its names are common words, so RANK counts only beside another variable that torchrun sets."""
    if "MASTER_ADDR" not in environ and "TORCHELASTIC_RUN_ID" not in environ:
        return None
    launch = _launch("torchrun", environ, host, "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
    return replace(launch, name=environ.get(STARTED_BY, "")) if launch is not None else None


def slurm(environ: Environment, host: str) -> Launch | None:
    """srun, when it started several tasks. An allocation's shell and batch script carry SLURM_PROCID too, but no step's task count."""
    tasks = environ.get("SLURM_STEP_NUM_TASKS") or ("SLURM_STEP_ID" in environ and environ.get("SLURM_NTASKS")) or "1"
    if "SLURM_PROCID" not in environ or tasks == "1":
        return None
    size = _number(environ, "SLURM_STEP_NUM_TASKS" if "SLURM_STEP_NUM_TASKS" in environ else "SLURM_NTASKS")
    local_rank = _number(environ, "SLURM_LOCALID") if "SLURM_LOCALID" in environ else None
    return _checked(Launch("slurm", _number(environ, "SLURM_PROCID"), size, local_rank, _slurm_local_size(environ), host, "SLURM_PROCID"))


def pmix(environ: Environment, host: str) -> Launch | None:
    """A PMIx launcher that none of the others recognised: it tells the rank but no size."""
    if "PMIX_RANK" not in environ or "SLURM_PROCID" in environ:
        return None
    raise ParallelError(
        f"PMIX_RANK={environ['PMIX_RANK']} is set, but no variable says how many ranks there are; needed: a launcher that "
        "sets both (mpirun, mpiexec, srun, torchrun)"
    )


LAUNCHERS: tuple[Callable[[Environment, str], Launch | None], ...] = (open_mpi, mvapich, mpich, torchrun, slurm, pmix)
"""Innermost first."""


def _prefixed(prefix: str) -> tuple[str, str, str, str]:
    return prefix + "RANK", prefix + "SIZE", prefix + "LOCAL_RANK", prefix + "LOCAL_SIZE"


def _launch(launcher: str, environ: Environment, host: str, *names: str) -> Launch | None:
    """The launch told by four variables: rank, size, local rank and local size, of which the last two may be missing."""
    rank_name, size_name, local_rank_name, local_size_name = names
    if rank_name not in environ:
        return None
    if size_name not in environ:
        raise ParallelError(
            f"{rank_name}={environ[rank_name]} is set without {size_name}; needed: both, as {launcher} sets them, or neither "
            f"(unset {rank_name} to run a single process)"
        )
    local_rank, local_size = (_number(environ, name) if name in environ else None for name in (local_rank_name, local_size_name))
    return _checked(Launch(launcher, _number(environ, rank_name), _number(environ, size_name), local_rank, local_size, host, rank_name))


def _checked(launch: Launch) -> Launch:
    if not 0 <= launch.rank < launch.size:
        raise ParallelError(f"{launch.variable}={launch.rank} in a job of {launch.size} ranks; needed: 0 to {launch.size - 1}")
    return launch


def _number(environ: Environment, name: str) -> int:
    text = environ[name]
    if not re.fullmatch(r"\s*-?\d{1,18}\s*", text):
        raise ParallelError(f"{name}='{text}'; needed: a whole number")
    return int(text)


def _slurm_local_size(environ: Environment) -> int | None:
    """Tasks on this node out of ``SLURM_STEP_TASKS_PER_NODE=4(x2),3``; None if it cannot be told."""
    counts: list[int] = []
    for part in environ.get("SLURM_STEP_TASKS_PER_NODE", "").split(","):
        match = re.fullmatch(r"(\d{1,9})(?:\(x(\d{1,9})\))?", part.strip())
        if match is None:
            return None
        counts += [int(match[1])] * int(match[2] or 1)
    node = environ.get("SLURM_NODEID", "")
    return counts[int(node)] if node.isdigit() and int(node) < len(counts) else None
