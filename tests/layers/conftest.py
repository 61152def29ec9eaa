"""What tests of layers share."""

from __future__ import annotations

import pytest

from tests.layers.check import blind


@pytest.fixture(params=["looked at", "as on a GPU"])
def looked_at(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways in which layers work: values on the CPU may be looked at, those on a GPU not."""
    if request.param != "looked at":
        blind(monkeypatch)
