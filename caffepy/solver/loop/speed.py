"""How fast a training runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from caffepy import log


class Speed:
    """Times of one solver.

    ``iterations``: those done by this process. ``training_s``: what they took, without tests and
    snapshots. ``rate``: iterations per second of the last lap; 0.0 before the first.
    """

    def __init__(self) -> None:
        self.iterations = 0
        self.training_s = 0.0
        self.rate = 0.0
        self.restart(0)

    def restart(self, iteration: int) -> None:
        """A lap begins at ``iteration``."""
        self._lap_began_s = time.perf_counter()
        self._lap_first = iteration

    def lap(self, iteration: int, display: int) -> str:
        """End the lap, begin a new one, and return what the display line says of it.

        A lap includes tests, as in Caffe.
        """
        began_s = self._lap_began_s
        done = iteration - self._lap_first
        self.restart(iteration)
        seconds = self._lap_began_s - began_s
        self.rate = done / seconds if seconds else 0.0
        shown_rate = log.number(self.rate if seconds else done)
        return f"{shown_rate} iter/s, {log.number(seconds)}s/{display} iters"

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the time of the block as training."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.training_s += time.perf_counter() - started

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Within `counted`, leave out the time of the block: a test, a snapshot."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.training_s -= time.perf_counter() - started
