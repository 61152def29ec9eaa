"""What the solver's tests share: a folder with a small training in it, and a log without prefixes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from caffepy import log
from tests.engine.tape import Tape
from tests.solver.job import NET, write_database
from tests.solver.taped import NORM


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


@pytest.fixture
def tape(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Tape:
    """Plays the part of CUDA graphs in the solvers that `trained` makes for it, of a net without numbers drawn on the host."""
    (folder / "net.prototxt").write_text(re.sub(r"\nlayer { name: \"drop\".*", NORM, NET))
    return Tape()
