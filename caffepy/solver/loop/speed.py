"""How fast a training runs: the rate in the display lines, and the time of all iterations."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from caffepy import log


class Speed:
    """Times of one solver.  ``iterations``: those done by this process; ``training_s``: what they took, tests and snapshots left out.

    ``rate``: iterations per second of the last lap; 0.0 where there was none.
    """

    def __init__(self) -> None:
        self.iterations, self.training_s, self.rate = 0, 0.0, 0.0
        self._lap = (time.perf_counter(), 0)

    def restart(self, iteration: int) -> None:
        """A lap begins at ``iteration``."""
        self._lap = (time.perf_counter(), iteration)

    def lap(self, iteration: int, display: int) -> str:
        """The words of a display line for the lap that ends here, tests included as in Caffe; a new one begins."""
        then, before = self._lap
        self.restart(iteration)
        seconds, done = self._lap[0] - then, iteration - before
        self.rate = done / seconds if seconds else 0.0
        return f"{log.number(done / seconds if seconds else done)} iter/s, {log.number(seconds)}s/{display} iters"

    @contextmanager
    def counted(self) -> Iterator[None]:
        """The block is training."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.training_s += time.perf_counter() - started

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The block, within training, is none: a test, a snapshot."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.training_s -= time.perf_counter() - started
