"""tools/dev/venv says in one line what a machine lacks, where pip's own words are a compiler's."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it is a shell script")

PYTHON = """#!/bin/sh
# stands for Python: makes an environment of itself, and its pip fails
case "$*" in
    *"pip --version"*) test -e .venv/bin/python ;;
    *"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    *"pip install"*) echo "$SAID"; exit 1 ;;
    *hashlib*) echo state ;;
    *samefile*) exit 1 ;;
    *) echo Python 3.11 ;;
esac
"""


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("src/lib.c:1:10: fatal error: Python.h: No such file or directory", "apt install python3-dev"),
        ("fatal error: mpi.h: No such file or directory", "apt install libopenmpi-dev"),
        ("_plyvel.cpp:9:10: fatal error: leveldb/db.h: No such file or directory", "apt install libleveldb-dev"),
        ("error: command 'gcc' failed: No such file or directory", "apt install g++"),
        ("ERROR: No matching distribution found for torch", "pip could not install the packages; its message is above"),
    ],
)
def test_what_is_missing_is_named(said: str, told: str, root: Path, tmp_path: Path) -> None:
    (tmp_path / "tools/dev").mkdir(parents=True)
    shutil.copy(root / "tools/dev/venv", tmp_path / "tools/dev/venv")
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_text("")
    python = tmp_path / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)
    environ = {"PATH": "/usr/bin:/bin", "CAFFEPY_BASE_PYTHON": str(python), "SAID": said}
    done = subprocess.run([tmp_path / "tools/dev/venv", "mpi"], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0] == said
    assert lines[-1].startswith("tools/dev/venv: ")
    assert told in lines[-1]
