"""A line that tells how far a long job is: on a terminal only, and never in a log.

Drawn here and not by tqdm or rich: lines of Caffe's log come from several threads, and each has to
take the line's place first, which `log.sink` does for every line that it writes; these packages
want the log to go through them instead.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from caffepy import log
from caffepy.cli.signals import left_in_order

if TYPE_CHECKING:
    from caffepy.solver.solver import Solver

REFRESH_S = 0.5


class Line:
    """The bottom line of a terminal, drawn over and over. Log lines take its place, and it is drawn again below them."""

    def __init__(self, stream: TextIO, *, refresh_s: float) -> None:
        self._stream, self._refresh_s = stream, refresh_s
        self._next = time.perf_counter() + refresh_s
        self._drawn = False

    def due(self) -> bool:
        """It is time to draw again; at most once every ``refresh_s``."""
        return time.perf_counter() >= self._next

    def draw(self, text: str) -> None:
        """Show ``text`` in place of what the line was."""
        width = shutil.get_terminal_size().columns - 1
        log.put(self._stream, f"\r{text[:width]}\033[K")
        self._drawn = True
        self._next = time.perf_counter() + self._refresh_s

    def clear(self) -> None:
        """Leave the line empty."""
        if self._drawn:
            log.put(self._stream, "\r\033[K")
            self._drawn = False


class Pace:
    """How fast a job has been since it was last asked, and how long the rest will take."""

    def __init__(self, done: int) -> None:
        self._first = self._last = (time.perf_counter(), done)

    def rate(self, done: int) -> float:
        """Items a second since the last call."""
        (then, before), self._last = self._last, (time.perf_counter(), done)
        return (done - before) / max(self._last[0] - then, 1e-9)

    def left(self, done: int, total: int) -> str:
        """Time left at the mean speed since the start, ``1:02:03``; ``?`` while there is none."""
        started, first = self._first
        return clock((time.perf_counter() - started) / (done - first) * (total - done)) if done > first else "?"


def clock(seconds: float) -> str:
    """``65`` → ``1:05``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


@contextmanager
def bottom_line() -> Iterator[Line | None]:
    """The line at the bottom of standard error, empty again at the end; None where that is no terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    line = Line(sys.stderr, refresh_s=REFRESH_S)
    before, log.sink.before_line = log.sink.before_line, line.clear
    try:
        yield line
    finally:
        log.sink.before_line = before
        line.clear()


@contextmanager
def progress_bar(unit: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that is told how many ``unit`` (images, ...) are done, of how many. Signals end the block in order."""
    with left_in_order(), bottom_line() as line:
        pace = Pace(0)

        def advance(done: int, total: int) -> None:
            if line is not None and line.due():
                share = f"{done}/{total} ({100 * done // total} %)" if total else str(done)
                line.draw(f"{share}  {pace.rate(done):.0f} {unit}/s  {pace.left(done, total)} left")

        yield advance


@contextmanager
def training_progress(solver: Solver) -> Iterator[None]:
    """While the block trains, show iteration, loss, speed and time left."""
    with bottom_line() as line:
        if line is None:
            yield
            return
        pace, images = Pace(solver.iteration), solver.images_per_iteration

        def watch(solver: Solver) -> None:
            if line.due():
                done, total = solver.iteration, solver.param.max_iter
                rate = pace.rate(done)
                speed = f"{rate * images:.0f} images/s" if images else f"{rate:.1f} iterations/s"
                loss = log.number(solver.losses.value())
                line.draw(f"Iteration {done}/{total}  loss {loss}  {speed}  {pace.left(done, total)} left")

        solver.watchers.append(watch)
        try:
            yield
        finally:
            solver.watchers.remove(watch)
