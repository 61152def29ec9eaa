"""What the solver's tests share: a folder with a small training in it, and a log without prefixes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caffepy import log
from tests.solver.job import NET, write_database


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with ``net.prototxt`` and ``db``."""
    pytest.importorskip("lmdb")
    write_database(tmp_path / "db")
    (tmp_path / "net.prototxt").write_text(NET)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[], list[str]]:
    """Gives the messages logged since the last call."""
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    monkeypatch.setattr(log.sink, "prefix", False)
    return lambda: capsys.readouterr().err.splitlines()
