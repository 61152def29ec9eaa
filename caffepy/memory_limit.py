"""The memory that ``ulimit -v`` leaves a process.

Where libraries of PyTorch and numpy find too little of it, some of them end the process with words
of their own, or none: room for them is looked for before they are loaded.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

MB = 1_000_000
LIBRARIES = {"torch": ("torch/lib", 80 * MB), "numpy": ("numpy.libs", 20 * MB)}
"""By package: the folder of its libraries beside other packages, and what they ask for when they are loaded."""
EACH_THREAD = 40 * MB
"""More that OpenBLAS, numpy's, asks for then."""
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
NUMBER = re.compile("[0-9]{1,18}")


def limit_bytes() -> int | None:
    """What ``ulimit -v`` allows this process; None without a limit."""
    try:
        import resource
    except ImportError:  # not a Unix
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def left_bytes() -> int | None:
    """What is left of it; None without a limit, or where the system does not tell."""
    limit = limit_bytes()
    if limit is not None:
        with suppress(OSError):
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            return limit - pages * os.sysconf("SC_PAGESIZE")
    return None


def limit_note() -> str:
    """For the end of a line about memory that could not be had: the limit, if there is one."""
    limit = limit_bytes()
    return "" if limit is None else f"; ulimit -v allows this process {limit // MB} MB"


def memory_note(error: BaseException) -> str:
    """The same for an error whose words are the system's, which may be about something else."""
    return limit_note() if os.strerror(errno.ENOMEM) in str(error) else ""


class Room(MetaPathFinder):
    """Asks whether the libraries of a package fit before the package is looked for.

    Finds none itself.
    """

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        """MemoryError where they do not fit."""
        left = left_bytes() if fullname in LIBRARIES else None
        needed = libraries_bytes(fullname) if left is not None else 0
        if left is not None and left < needed:
            raise MemoryError(f"the libraries of {fullname} take about {needed // MB} MB, and {left // MB} MB are left")


def libraries_bytes(package: str) -> int:
    """What loading a package takes, by the sizes of its libraries; 0 where they are not found."""
    spec = PathFinder.find_spec(package)
    if spec is None or spec.origin is None:
        return 0
    folder, more = LIBRARIES[package]
    sizes = [each.stat().st_size for each in (Path(spec.origin).parent.parent / folder).glob("*.so*")]
    return sum(sizes) + more + threads(os.environ) * EACH_THREAD if sizes else 0


def threads(environ: Mapping[str, str]) -> int:
    """How many OpenBLAS starts: as many as it is told, at most one for each processor."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    told = next((int(environ[name]) for name in THREADS if NUMBER.fullmatch(environ.get(name, ""))), processors)
    return max(1, min(told, processors))


def check_memory_before_imports() -> None:
    """Let packages ask for room, if there is a limit."""
    if limit_bytes() is not None:
        sys.meta_path.insert(0, Room())
