"""What the tests of ranks share."""

from __future__ import annotations

import pytest

from caffepy import log


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages of F lines."""
    lines: list[str] = []
    monkeypatch.setattr(log, "fatal", lambda where, message: lines.append(message))
    return lines
