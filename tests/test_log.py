"""Numbers as log lines show them."""

from __future__ import annotations

import pytest

from caffepy.log import duration, rate


@pytest.mark.parametrize(("value", "text"), [(0.2134, "0.213"), (9.876, "9.88"), (99.96, "100"), (1834.4, "1834"), (0.0, "0")])
def test_rate(value: float, text: str) -> None:
    assert rate(value) == text


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0.45123, "0.4512 ms"), (999.94, "999.9 ms"), (999.96, "1 s"), (46330.0, "46.33 s"), (9.9996e6, "10000 s"), (2.5e7, "25000 s")],
)
def test_duration(ms: float, text: str) -> None:
    assert duration(ms) == text
