"""A line that tells how far a long job is: on a terminal only, and never in a log.

Drawn here and not by tqdm or rich: log lines come from several threads and stand above this line,
and `log.write` does both in one write. These packages want the log to go through them instead.
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
    """The bottom line of a terminal, drawn over and over."""

    def __init__(self, stream: TextIO, *, refresh_s: float) -> None:
        self._stream = stream
        self._refresh_s = refresh_s
        self._next = time.perf_counter() + refresh_s

    def due(self) -> bool:
        """It is time to draw again; at most once every ``refresh_s``."""
        return time.perf_counter() >= self._next

    def draw(self, text: str) -> None:
        """Show ``text`` in place of what the line was; the log keeps it below its own lines."""
        width = shutil.get_terminal_size().columns - 1
        log.sink.bottom_line = text[:width]
        log.put(self._stream, f"{log.CLEAR}{log.sink.bottom_line}")
        self._next = time.perf_counter() + self._refresh_s

    def clear(self) -> None:
        """Leave the line empty."""
        if log.sink.bottom_line:
            log.sink.bottom_line = ""
            log.put(self._stream, log.CLEAR)


class Pace:
    """How fast a job has been since it was last asked, and how long the rest will take."""

    def __init__(self, done: int) -> None:
        self._first = self._last = (time.perf_counter(), done)

    def rate(self, done: int) -> float:
        """Items a second since the last call; 0 where none was done."""
        then, before = self._last
        now = time.perf_counter()
        self._last = (now, done)
        return (done - before) / max(now - then, 1e-9)

    def left(self, done: int, total: int) -> str:
        """Time left at the mean speed since the start, ``1:02:03``; ``?`` while there is none."""
        started, first = self._first
        if done <= first:
            return "?"
        seconds_each = (time.perf_counter() - started) / (done - first)
        return clock(seconds_each * (total - done))


def clock(seconds: float) -> str:
    """``65`` → ``1:05``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def status(done: str, rate: float, unit: str, left: str) -> str:
    """``50/200  12 images/s  0:10 left``; without a speed that is not known."""
    speed = f"{log.rate(rate)} {unit}/s" if rate > 0 else ""
    return "  ".join(filter(None, (done, speed, f"{left} left")))


@contextmanager
def bottom_line() -> Iterator[Line | None]:
    """The line at the bottom of standard error, empty again at the end.

    None where standard error is no terminal.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    line = Line(sys.stderr, refresh_s=REFRESH_S)
    try:
        yield line
    finally:
        line.clear()


@contextmanager
def progress_bar(unit: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that is told how many ``unit`` (images, ...) are done, of how many.

    Signals end the block in order.
    """
    with left_in_order(), bottom_line() as line:
        pace = Pace(0)

        def advance(done: int, total: int) -> None:
            if line is not None and line.due():
                share = f"{done}/{total} ({100 * done // total} %)" if total else str(done)
                line.draw(status(share, pace.rate(done), unit, pace.left(done, total)))

        yield advance


@contextmanager
def training_progress(solver: Solver) -> Iterator[None]:
    """While the block trains, show iteration, loss, speed and time left."""
    with bottom_line() as line:
        if line is None:
            yield
            return
        images = solver.images_per_iteration
        pace = Pace(solver.iteration)
        line.draw(f"Iteration {solver.iteration}/{solver.param.max_iter}")

        def watch(solver: Solver) -> None:
            if line.due():
                done = solver.iteration
                total = solver.param.max_iter
                loss = log.number(solver.losses.value())
                rate = pace.rate(done) * (images or 1)
                unit = "images" if images else "iterations"
                line.draw(
                    status(
                        f"Iteration {done}/{total}  loss {loss}", rate, unit, pace.left(done, total)
                    )
                )

        solver.watchers.append(watch)
        try:
            yield
        finally:
            solver.watchers.remove(watch)
