"""What a bench needs beside this checkout, looked for before anything is imported or measured."""

from __future__ import annotations

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

ALWAYS = ("click", "cv2", "google.protobuf", "h5py", "lmdb", "numpy", "torch")
OF_EXTRA = {"": (), "mpich": ("mpi4py",), "onnx": ("onnx", "onnxruntime")}
"""By the extra that brings them: the packages of a bench."""


def needs(extra: str = "", *, program: str | None = None) -> None:
    """End with one line if a package, one of this extra, or a program that is started is not there."""
    bench = Path(sys.argv[0]).name
    missing = [name for name in (*ALWAYS, *OF_EXTRA[extra]) if not _is_there(name)]
    if missing:
        sys.exit(
            f"{bench} needs packages that {sys.executable} lacks: {', '.join(missing)}; "
            f"tools/dev/venv{f' {extra}' if extra else ''} makes .venv/bin/python, which has them"
        )
    if program is not None and shutil.which(program) is None:
        sys.exit(f"{bench} starts {program}, which is not there; tools/dev/venv {extra} brings an mpirun")


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        return False
