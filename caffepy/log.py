"""Log lines in glog's classic form, on standard error.

``I1127 20:47:05.700948 19456 solver.cpp:239] Iteration 0, loss = 1.2``: severity, month and day,
time, process id and the place that Caffe's own line has, since people's scripts cut these lines by
column and search for these places.
"""

from __future__ import annotations

import math
import os
import stat
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO

INFO, WARNING, ERROR, FATAL = range(4)
LETTERS = "IWEF"
CLEAR = "\r\033[K"
"""Takes a terminal to the start of its present line, and empties that."""
COLORS = ("", "\033[33m", "\033[31m", "\033[31m")  # none, yellow, red, red, as glog


@dataclass
class Sink:
    """Where lines go and which are dropped; one object, set up once by the command line."""

    min_level: int = WARNING
    verbosity: int = 0
    prefix: bool = True
    streams: list[TextIO] = field(default_factory=list)
    """Log files beside standard error."""
    stderr_level: int = INFO
    """Lowest severity that reaches standard error, where a log file gets the rest."""
    color: bool = False
    utc: bool = False
    bottom_line: str = ""
    """The last line of the terminal, such as a progress bar.

    Log lines are written above it, and it is drawn again below them.
    """
    instead: Callable[[int, str, str], None] | None = None
    """Takes the lines in place of all streams: a process that works for another sends them there.
    """


sink = Sink()


def configure(
    *,
    min_level: int = INFO,
    verbosity: int = 0,
    prefix: bool = True,
    streams: list[TextIO] | None = None,
    stderr_level: int = INFO,
    color: bool = False,
    utc: bool = False,
) -> None:
    """Set the lowest severity shown, the -v level, and log files beside standard error."""
    sink.min_level = min_level
    sink.verbosity = verbosity
    sink.prefix = prefix
    sink.streams = list(streams or [])
    sink.stderr_level = stderr_level
    sink.color = color
    sink.utc = utc


def keep_to_files() -> None:
    """From now on standard error gets fatal lines only; log files get the same lines as before."""
    if sink.streams:
        sink.stderr_level = FATAL
    else:
        sink.min_level = FATAL


def write(level: int, where: str, message: str) -> None:
    """One log line of severity ``level``.

    ``where`` is Caffe's place of it, such as ``solver.cpp:239``; line 0 where Caffe has no such
    message.
    """
    message = message.removesuffix("\n")  # glog ends a line only where the message does not
    if sink.instead is not None:
        sink.instead(level, where, message)
        return
    if level < sink.min_level:
        return
    head = ""
    if sink.prefix:
        now = time.time()
        date = time.gmtime(now) if sink.utc else time.localtime(now)
        stamp = time.strftime("%m%d %H:%M:%S", date)
        head = f"{LETTERS[level]}{stamp}.{int(now % 1 * 1e6):06d} {os.getpid():5d} {where}] "
    if level >= sink.stderr_level:
        start, end = (COLORS[level], "\033[0m") if sink.color else ("", "")
        line = f"{start}{head}{message}{end}\n"
        # in one write: lines come from several threads
        put(sys.stderr, f"{CLEAR}{line}{sink.bottom_line}" if sink.bottom_line else line)
    for stream in sink.streams:
        put(stream, f"{head}{message}\n")


def put(stream: TextIO, text: str) -> None:
    """Write and flush.

    A reader that ended, a closed terminal or a full disk loses the text and does not stop the work.
    """
    try:
        stream.write(text)
        stream.flush()
    except OSError:
        # a disk may get space again, but a reader that ended does not return
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def info(where: str, message: str) -> None:
    """A line of severity I."""
    write(INFO, where, message)


def warning(where: str, message: str) -> None:
    """A line of severity W."""
    write(WARNING, where, message)


def error(where: str, message: str) -> None:
    """A line of severity E."""
    write(ERROR, where, message)


def fatal(where: str, message: str) -> None:
    """A line of severity F; the caller exits."""
    write(FATAL, where, message)


def number(value: float) -> str:
    """A float as C++ streams print it by default.

    6 significant digits, ``1e-07``, ``nan`` as ``-nan``.
    """
    if math.isnan(value):
        return "-nan"
    return f"{value:g}"


def rate(per_second: float) -> str:
    """How many a second, in three digits: ``0.213``, ``12.4``, ``1834``. What moves is never 0."""
    return f"{per_second:.0f}" if per_second >= 99.95 else f"{per_second:.3g}"


def duration(ms: float) -> str:
    """Milliseconds with their unit, as seconds from 1000 on: ``0.4512 ms``, ``46.33 s``."""
    if ms < 999.95:
        return f"{ms:.4g} ms"
    seconds = ms / 1000
    return f"{seconds:.4g} s" if seconds < 9999.5 else f"{seconds:.0f} s"
