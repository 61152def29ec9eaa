"""Threads that share the items of a batch; decoding and resizing images leave Python's lock alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

MOST = 8
CHUNKS_A_WORKER = 4


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
        self.count = count or min(MOST, usable_cpus())
        self._pool: ThreadPoolExecutor | None = None

    def run(self, work: Callable[[int], None], n: int, *, parallel: bool) -> None:
        """``work(i)`` for each i below ``n``; the exception of the lowest i that failed is raised."""
        if not parallel or self.count == 1 or n == 1:
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
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
