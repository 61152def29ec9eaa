"""Each test works in an empty folder and leaves the log as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy import log


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("min_level", "verbosity", "prefix", "streams", "stderr_level", "color", "utc"):
        monkeypatch.setattr(log.sink, name, getattr(log.sink, name))
    return tmp_path
