"""Which MPI library goes with the launcher: that of the mpirun that started this process.

mpi4py's wheels choose a library when they are imported, first that of the Python environment. Under
the mpirun of another MPI that library ends the process while it loads, with no exception to catch,
or takes every rank for a job of its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpi.so.12", "mvapich": "libmpi.so.12"}
LAUNCHER_PROGRAMS = (
    "mpirun",
    "mpiexec",
    "hydra_pmi_proxy",
    "orterun",
    "orted",
    "prterun",
    "prted",
    "prte",
    "mpispawn",
)
GENERATIONS = 4
"""How far above this process its launcher may be: scripts and shells come between."""


def library_candidates(
    launcher: str, environ: Mapping[str, str], launcher_folders: list[Path], prefix: Path
) -> list[str]:
    """Libraries of the launcher's family to try, best first.

    What Open MPI itself names, those beside the launcher, the system's, the Python environment's.
    ``launcher_folders``: where the launcher's programs are (``PREFIX/bin``). Empty when the family
    is not certain: srun speaks MPICH's protocol to every MPI.
    """
    name = LIBRARIES.get(launcher)
    if name is None or (launcher != "openmpi" and not launcher_folders):
        return []
    folders = (
        [Path(environ["OMPI_LIBDIR_LOC"])]
        if launcher == "openmpi" and "OMPI_LIBDIR_LOC" in environ
        else []
    )
    folders += [
        folder.parent / lib
        for folder in launcher_folders
        for lib in ("lib", "lib64", "lib/openmpi", "lib64/openmpi")
    ]
    return [*(str(folder / name) for folder in folders), name, str(prefix / "lib" / name)]


def select_library(launcher: str, environ: Mapping[str, str]) -> str | None:
    """The value for MPI4PY_LIBMPI, a list of libraries to try.

    None to leave the choice to mpi4py and the user.
    """
    if sys.platform != "linux" or "MPI4PY_LIBMPI" in environ or "MPI4PY_MPIABI" in environ:
        return None
    candidates = library_candidates(
        launcher, environ, launcher_folders(os.getppid()), Path(sys.prefix)
    )
    return os.pathsep.join(candidates) or None


def launcher_folders(pid: int) -> list[Path]:
    """Folders of the launcher's programs among process ``pid`` and its ancestors, nearest first."""
    folders = []
    for _ in range(GENERATIONS):
        try:
            program = Path(os.readlink(f"/proc/{pid}/exe"))
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            break
        if program.name.startswith(LAUNCHER_PROGRAMS):
            folders.append(program.parent)
        pid = int(stat.rpartition(")")[2].split()[1])
    return folders
