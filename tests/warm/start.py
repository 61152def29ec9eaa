"""Words that start a Python program in a fork of a warm process, where that is possible."""

from __future__ import annotations

import functools
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RANK = Path(__file__).with_name("rank.py")
COLD = "CAFFEPY_TEST_COLD"
"""Set to anything, this variable has every program of the tests started anew."""


def python(*, warm: bool = True) -> list[str]:
    """What stands for ``python`` before a program's words: a fork of this process's own server, or Python itself."""
    path = server() if warm and COLD not in os.environ else None
    return [sys.executable, "-S", "-E", str(RANK), path] if path else [sys.executable]


def program() -> str:
    """`python` as one file, for those who start what ``CAFFEPY_PYTHON`` or ``sys.executable`` names."""
    words = python()
    if len(words) == 1:
        return words[0]
    file = Path(words[-1]).with_name("python")
    if not file.exists():
        file.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        file.chmod(0o755)
    return str(file)


@functools.lru_cache(maxsize=1)
def server() -> str | None:
    """The socket of a server of this process, which ends with it; None where processes cannot be forked."""
    if not sys.platform.startswith("linux"):
        return None
    folders = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]  # the stand-in GPU's folder may be there
    folder = tempfile.mkdtemp(prefix="caffepy-warm-")
    path = str(Path(folder) / "socket")
    started = subprocess.Popen(
        [sys.executable, "-m", "tests.warm.server", path],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders), "OMP_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    while not os.path.exists(path):
        if started.poll() is not None:
            raise RuntimeError(f"the server of warm processes ended with {started.returncode}")
        time.sleep(0.02)
    KEPT.append(started)
    return path


KEPT: list[subprocess.Popen[bytes]] = []
"""The server: its standard input stays open as long as this process lives."""
