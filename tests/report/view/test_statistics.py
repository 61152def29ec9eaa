"""Numbers about many values."""

from __future__ import annotations

import numpy as np
import pytest

from caffepy.report.view.statistics import BINS, statistics


def test_numbers() -> None:
    found = statistics(np.array([[0, 0, 1], [-1, np.nan, 5]], np.float32))
    assert (found["count"], found["zeros"], found["notFinite"]) == (6, 2, 1)
    assert (found["min"], found["max"], found["mean"]) == (-1, 5, 1)
    assert len(found["histogram"]) == BINS
    assert sum(found["histogram"]) == 5


@pytest.mark.parametrize("value", [0.0, 3.0, -3.0])
def test_all_alike(value: float) -> None:
    found = statistics(np.full(7, value, np.float32))
    assert (found["std"], max(found["histogram"])) == (0, 7)


def test_none_that_is_a_number() -> None:
    assert statistics(np.array([np.nan, np.inf], np.float32)) == {"count": 2, "zeros": 0, "notFinite": 2}
    assert statistics(np.zeros(0, np.float32))["count"] == 0
