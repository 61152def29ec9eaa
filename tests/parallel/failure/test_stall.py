"""Work that stands still is told from work that takes long, and from waiting for others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from caffepy.parallel.collective.courier import Courier
from caffepy.parallel.failure.stall import IDLE, START_S, WRITING_S, StallDetector
from caffepy.parallel.launch.place import START
from caffepy.solver.snapshots.background import Background

COMPUTING_S = 0.4


def held(work: Callable[[], object], *, places: tuple[str, ...] = ("here",)) -> float:
    """The longest standstill that a thread sees while the main thread does ``work``."""
    found, done = [0.0], threading.Event()

    def look() -> None:
        stall, number = StallDetector(), 0
        while not done.wait(0.05):
            found.append(stall.held_s(places[number % len(places)]))
            number += 1

    thread = threading.Thread(target=look)
    thread.start()
    work()
    done.set()
    thread.join()
    return max(found)


def compute() -> None:
    end = time.process_time() + COMPUTING_S
    while time.process_time() < end:
        pass


class Never:
    """A transfer that takes its time."""

    def __init__(self) -> None:
        self.end = time.monotonic() + 0.5

    def done(self) -> bool:
        return time.monotonic() > self.end


def test_a_main_thread_that_sleeps() -> None:
    assert held(lambda: time.sleep(0.6)) > 0.3


def test_one_that_computes() -> None:
    began = time.monotonic()
    longest = held(compute)
    taken = time.monotonic() - began
    if 2 * IDLE * taken > COMPUTING_S:
        pytest.skip(f"the machine is too busy: {COMPUTING_S} s of processor time took {taken:.1f} s")
    assert longest < taken / 2, "also on a machine that lets it compute only now and then"


def test_one_that_goes_from_place_to_place() -> None:
    assert held(lambda: time.sleep(0.5), places=("here", "there")) == 0.0


def test_one_that_waits_for_other_ranks() -> None:
    assert held(lambda: Courier(threaded=False).wait(Never())) == 0.0


def test_the_limit_where_disks_may_be_slow() -> None:
    stall, aside, done = StallDetector(3.0), Background(), threading.Event()
    stall.held_s(START)
    assert stall.limit_s == START_S
    stall.held_s("iteration 7")
    assert stall.limit_s == 3.0
    aside.start(done.wait)
    assert (stall.held_s("iteration 7"), stall.limit_s) == (0.0, WRITING_S)
    done.set()
    aside.wait()
    assert (stall.held_s("iteration 7"), stall.limit_s) == (0.0, 3.0), "what was written does not count any more"


def test_a_patience_beyond_the_limits() -> None:
    stall = StallDetector(1000.0)
    stall.held_s(START)
    assert stall.limit_s == 1000.0
