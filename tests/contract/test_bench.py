"""A bench whose packages are missing says so in one line; nothing is measured here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = ("calls", "data", "forward", "lrn", "startup", "step", "update", "weights")
PARTS = ("cluster", "exchange", "scaling")
"""Benches that run as ``python -m tools.bench.NAME``."""


def ran(*words: str) -> tuple[int, str]:
    """Exit code and errors of a Python that sees the standard library alone."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-S", *words], cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("name", [*FILES, *PARTS])
def test_one_line_names_what_is_missing(name: str) -> None:
    code, said = ran(f"tools/bench/{name}.py") if name in FILES else ran("-m", f"tools.bench.{name}")
    extra = {"forward": " onnx", "cluster": " mpich", "exchange": " mpich"}.get(name, "")
    assert (code, said.count("\n")) == (1, 1)
    assert said.startswith(f"{name}.py needs packages that {sys.executable} lacks: click, cv2, ")
    assert said.endswith(f"tools/dev/venv{extra} makes .venv/bin/python, which has them\n")
