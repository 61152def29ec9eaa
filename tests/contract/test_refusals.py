"""The program on every net that the real Caffe aborts on: exit code 1 and one line that names place, layer and type."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from caffepy import log
from caffepy.cli.main import run

CASES = Path(__file__).resolve().parents[1] / "golden/errors"
LATER = ["ip_dim"]
"""Refused only when an input changes its size."""


@pytest.fixture(autouse=True)
def log_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command sets up the log of the whole process; leave it as it was."""
    for name in ("min_level", "verbosity", "prefix", "streams", "stderr_level", "color", "utc"):
        monkeypatch.setattr(log.sink, name, getattr(log.sink, name))


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir() if path.name not in LATER))
def test_one_line(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(shutil.copytree(CASES / case, tmp_path / "case"))
    phase = json.loads(Path("case.json").read_text())["phase"]
    assert run("caffe", ["time", "-model", "net.prototxt", "-phase", phase, "-iterations", "1"]) == 1
    *before, fatal = capsys.readouterr().err.splitlines()
    assert re.match(r"F\d{4} \S+ +\d+ caffe\.cpp:0\] net\.prototxt:\d+:\d+: layer '\w+'( \(\w+\))?: \S", fatal), fatal
    assert not [line for line in before if line.startswith(("F", "E", "Traceback"))]
