"""Threads that share the items of a batch, or of a list."""

from __future__ import annotations

import threading
import time

import pytest

from caffepy.data.workers import Workers, in_order, usable_cpus


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("n", [0, 1, 7, 100])
def test_every_item_once(threads: int, n: int) -> None:
    done: list[int] = []
    workers = Workers(threads)
    workers.run(done.append, n, parallel=True)
    assert sorted(done) == list(range(n))
    workers.close()


def test_the_caller_works_too() -> None:
    names: set[str] = set()
    met = threading.Barrier(3)

    def work(i: int) -> None:
        names.add(threading.current_thread().name)
        met.wait(timeout=30)

    workers = Workers(3)
    workers.run(work, 3, parallel=True)
    workers.close()
    assert threading.current_thread().name in names
    assert len(names) == 3


def test_the_first_failure_is_raised() -> None:
    def work(i: int) -> None:
        if i in (30, 70):
            raise ValueError(i)

    workers = Workers(3)
    for _ in range(5):
        with pytest.raises(ValueError, match="30"):
            workers.run(work, 100, parallel=True)
    workers.close()


def test_results_in_the_order_of_the_items() -> None:
    def work(item: int) -> int:
        time.sleep(0.001 * (item % 7 == 0))
        return item * item

    assert list(in_order(work, range(100), threads=4)) == [i * i for i in range(100)]
    assert list(in_order(work, [], threads=4)) == []


def test_not_far_ahead_of_the_one_who_asks() -> None:
    begun: list[int] = []
    results = in_order(begun.append, range(10_000), threads=2)
    next(results)
    time.sleep(0.05)
    assert len(begun) < 200
    results.close()
    assert not any(thread.name.startswith("caffepy-convert") for thread in threading.enumerate())


def test_a_failure_at_its_item_ends_the_threads() -> None:
    def work(item: int) -> int:
        if item == 21:
            raise ValueError("bad item")
        return item

    found: list[int] = []
    with pytest.raises(ValueError, match="bad item"):
        found.extend(in_order(work, range(100), threads=2))
    assert found == list(range(16)), "whole chunks before the bad one"
    assert not any(thread.name.startswith("caffepy-convert") for thread in threading.enumerate())


def test_cpus() -> None:
    assert usable_cpus() >= 1
