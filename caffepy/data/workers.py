"""Threads that share the items of a batch.

Decoding and resizing of images do not hold Python's lock.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from operator import itemgetter
from typing import TypeVar

MOST_THREADS = 8
CHUNKS_A_WORKER = 4
CHUNK_ITEMS = 8

Item = TypeVar("Item")
Result = TypeVar("Result")


def usable_cpus() -> int:
    """CPUs that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


class Workers:
    """Threads that work together with the one that calls them; started when first needed."""

    def __init__(self, count: int | None = None) -> None:
        """``count``: threads, with the caller; by default one for each usable CPU, 8 at most."""
        self.count = count or min(MOST_THREADS, usable_cpus())
        self._pool: ThreadPoolExecutor | None = None

    def run(self, work: Callable[[int], None], n: int, *, parallel: bool) -> None:
        """Call ``work(i)`` for each i below ``n``.

        If calls fail, the exception of the lowest i is raised.
        """
        helpers = min(self.count, n) - 1
        if not parallel or helpers < 1:
            for i in range(n):
                work(i)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.count - 1, "caffepy-data")
        turns = iter(range(n))  # each thread takes the next item, so that all end together
        failed: list[tuple[int, BaseException]] = []

        def share() -> None:
            for i in turns:
                try:
                    work(i)
                except BaseException as error:  # noqa: BLE001 - raised again by the caller
                    failed.append((i, error))
                if failed:  # all items before it have been taken
                    return

        others = [self._pool.submit(share) for _ in range(helpers)]
        share()
        wait(others)
        if failed:
            raise min(failed, key=itemgetter(0))[1]

    def close(self) -> None:
        """End the threads; the next `run` starts new ones."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def in_order(
    work: Callable[[Item], Result], items: Sequence[Item], *, threads: int | None = None
) -> Iterator[Result]:
    """``work(item)`` for each item, computed by threads, in the order of the items.

    Threads are at most a few chunks ahead of the caller. An exception of ``work`` is raised at its
    item.
    """
    count = threads or min(MOST_THREADS, usable_cpus())
    pool = ThreadPoolExecutor(count, "caffepy-convert")
    waiting: deque[Future[list[Result]]] = deque()

    def chunk(start: int) -> list[Result]:
        return [work(item) for item in items[start : start + CHUNK_ITEMS]]

    try:
        for start in range(0, len(items), CHUNK_ITEMS):
            if len(waiting) >= CHUNKS_A_WORKER * count:
                yield from waiting.popleft().result()
            waiting.append(pool.submit(chunk, start))
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
