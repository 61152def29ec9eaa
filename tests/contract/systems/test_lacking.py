"""Commands of one process run where one thing after the other is missing that only Linux, or only Unix has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.systems.lacking import COMMANDS, HIDDEN

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[int] | str]:
    """What `tests.contract.systems.lacking` has found, all in one process and its forks: torch is imported once."""
    folder = tmp_path_factory.mktemp("lacking")
    command = [sys.executable, "-m", "tests.contract.systems.lacking", str(folder)]
    environ = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=110, check=True)
    found: dict[str, list[int] | str] = json.loads(done.stdout)
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="hides from Linux what others lack")
@pytest.mark.parametrize("hidden", HIDDEN)
def test_commands_without(hidden: str, found: dict[str, list[int] | str]) -> None:
    assert found[hidden] == [0] * len(COMMANDS)
