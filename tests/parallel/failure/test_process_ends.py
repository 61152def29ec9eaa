"""Processes are told of in the order of their ends, however late somebody looks."""

from __future__ import annotations

import subprocess
import sys

import pytest

from caffepy.parallel.failure import processes
from caffepy.parallel.failure.process_ends import ProcessEnds

pytestmark = pytest.mark.skipif(not processes.ON_LINUX, reason="there is no /proc")


def test_the_order_of_ends() -> None:
    started = [subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"]) for _ in range(4)]
    ends = ProcessEnds()
    assert all(ends.watch(rank, process.pid) for rank, process in enumerate(started))
    assert ends.ended() == []
    for rank in (2, 0, 3):
        started[rank].kill()
        started[rank].wait()
    assert ends.ended() == [2, 0, 3]
    assert ends.ended() == []
    started[1].kill()
    started[1].wait()
    assert ends.ended() == [1]
    assert not ends.watch(1, started[1].pid)
    ends.close()
