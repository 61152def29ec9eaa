"""Threads that share the items of a batch.

Decoding and resizing of images do not hold Python's lock.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
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
    """A pool of threads, started when it is first needed."""

    def __init__(self, count: int | None = None) -> None:
        """``count``: threads; by default one for each usable CPU, 8 at most."""
        self.count = count or min(MOST_THREADS, usable_cpus())
        self._pool: ThreadPoolExecutor | None = None

    def run(self, work: Callable[[int], None], n: int, *, parallel: bool) -> None:
        """Call ``work(i)`` for each i below ``n``.

        If calls fail, the exception of the lowest i is raised.
        """
        if not parallel or self.count == 1 or n <= 1:
            for i in range(n):
                work(i)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.count, "caffepy-data")
        step = -(-n // (self.count * CHUNKS_A_WORKER))

        def chunk(start: int) -> None:
            for i in range(start, min(start + step, n)):
                work(i)

        for done in [self._pool.submit(chunk, start) for start in range(0, n, step)]:
            done.result()

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
