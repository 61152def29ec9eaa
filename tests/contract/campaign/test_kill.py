"""The short form of the campaign; in a process of its own, from which it forks."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.warm.start import python

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked on this system")
def test_what_stands_is_whole() -> None:
    command = [*python(), "-m", "tools.campaign.kill", "-n", "12", "-seed", "7"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    assert done.stdout == "kill: kills 12, broken files 0, leftovers 0, failures 0, seed 7\n"
