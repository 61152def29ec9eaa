"""What the tests of the commands share."""

from __future__ import annotations

import pytest

from caffepy import log


@pytest.fixture(autouse=True)
def log_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands set up the log of the whole process; leave it as it was."""
    for name in ("min_level", "verbosity", "prefix", "streams", "stderr_level", "color", "utc"):
        monkeypatch.setattr(log.sink, name, getattr(log.sink, name))
