"""Processes are told of in the order of their ends, however late somebody looks."""

from __future__ import annotations

import subprocess
import sys

import pytest

from caffepy.parallel.failure import processes
from caffepy.parallel.failure.deaths import Deaths

pytestmark = pytest.mark.skipif(not processes.SEEN, reason="there is no /proc")


def test_the_order_of_ends() -> None:
    started = [subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"]) for _ in range(4)]
    deaths = Deaths()
    assert all(deaths.watch(rank, process.pid) for rank, process in enumerate(started))
    assert deaths.told() == []
    for rank in (2, 0, 3):
        started[rank].kill()
        started[rank].wait()
    assert deaths.told() == [2, 0, 3]
    assert deaths.told() == []
    started[1].kill()
    started[1].wait()
    assert deaths.told() == [1]
    assert not deaths.watch(1, started[1].pid)
    deaths.close()
