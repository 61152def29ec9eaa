"""The memory that ``ulimit -v`` leaves a process.

With too little of it some libraries of PyTorch and numpy end the process, with a message of their
own or none. So the memory for them is checked before they are loaded.
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
"""By package: the folder of its libraries beside other packages, and what they allocate at first.
"""
BYTES_PER_THREAD = 40 * MB
"""What numpy's OpenBLAS allocates for each thread."""
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
    """What is left of the limit; None without a limit, or if the system does not tell."""
    limit = limit_bytes()
    if limit is not None:
        with suppress(OSError):
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            return limit - pages * os.sysconf("SC_PAGESIZE")
    return None


def limit_note() -> str:
    """The limit, if there is one, for the end of an error message about memory."""
    limit = limit_bytes()
    return "" if limit is None else f"; ulimit -v allows this process {limit // MB} MB"


def memory_note(error: BaseException) -> str:
    """The same for an error of the system, which may have another cause."""
    return limit_note() if os.strerror(errno.ENOMEM) in str(error) else ""


class MemoryCheck(MetaPathFinder):
    """Checks, before a package is imported, that its libraries fit; it finds no package itself."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> None:
        """MemoryError if the package's libraries do not fit."""
        left = left_bytes() if fullname in LIBRARIES else None
        needed = libraries_bytes(fullname) if left is not None else 0
        if left is not None and left < needed:
            sizes = f"take about {needed // MB} MB, and {left // MB} MB are left"
            raise MemoryError(f"the libraries of {fullname} {sizes}")


def libraries_bytes(package: str) -> int:
    """The memory for a package, by the sizes of its libraries; 0 if they are not found."""
    spec = PathFinder.find_spec(package)
    if spec is None or spec.origin is None:
        return 0
    folder, more = LIBRARIES[package]
    libraries = (Path(spec.origin).parent.parent / folder).glob("*.so*")
    sizes = [library.stat().st_size for library in libraries]
    return sum(sizes) + more + threads(os.environ) * BYTES_PER_THREAD if sizes else 0


def threads(environ: Mapping[str, str]) -> int:
    """How many threads OpenBLAS starts: at most one for each processor."""
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    numbers = [int(environ[name]) for name in THREADS if NUMBER.fullmatch(environ.get(name, ""))]
    wanted = numbers[0] if numbers else processors
    return max(1, min(wanted, processors))


def check_memory_before_imports() -> None:
    """Check memory before imports, if there is a limit."""
    if limit_bytes() is not None:
        sys.meta_path.insert(0, MemoryCheck())
