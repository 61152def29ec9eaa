"""The short form of the campaign."""

from __future__ import annotations

import sys

import pytest

from tools.campaign import ranks

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(sys.platform != "linux", reason="ranks are found by /proc")]


def test_lost_ranks_are_named() -> None:
    line, right = ranks.run(2, 5)
    assert right, line
    assert line.startswith("ranks: lost 2, named ")
