"""The campaign ``fuzz``, short; and that it sees what it looks for."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from caffepy.errors import DataError
from tests.warm.start import python
from tools.campaign.fuzzing import campaign as fuzzing
from tools.campaign.fuzzing.kinds import Kind

ROOT = Path(__file__).resolve().parents[3]


def test_a_short_one() -> None:
    command = [*python(), "-m", "tools.campaign.fuzz", "-n", "2000"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("fuzz: inputs 2000, kinds 34, refused ")
    assert done.stdout.endswith("tracebacks 0, crashes 0, hangs 0, slow 0, huge 0, silent 0, seed 1\n")


def refusing(path: str) -> None:
    raise DataError("no")


def still(path: str) -> None:
    time.sleep(60)


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (lambda path: 1 / 0, "tracebacks"),
        (lambda path: os.kill(os.getpid(), signal.SIGKILL), "crashes"),
        (lambda path: os._exit(3), "crashes"),
        (still, "hangs"),
        (lambda path: bytearray(1 << 40), "huge"),
        (refusing, "refused"),
        (lambda path: None, ""),
    ],
)
def test_what_becomes_of_an_input(
    read: Callable[[str], object], found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fuzzing.samples, "fill", lambda folder: None)
    monkeypatch.setattr(fuzzing.all_kinds, "kinds", lambda folder: [Kind("it", 1, [b"x"], lambda rng, source: source, read)])
    monkeypatch.setattr(fuzzing, "LIMIT_S", 0.5)
    assert fuzzing.run(2, 1, tmp_path) == (found in ("", "refused"))
    said = capsys.readouterr().out
    assert f"{found} {2 if found else 0}" in said if found else "inputs 2" in said
    assert said.count("find: ") == (found not in ("", "refused")), said
