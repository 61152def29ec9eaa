"""What signals do to a program: the exit codes that tell of them, and an end in order."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

SIGNALLED = 128
"""Added to a signal's number: the exit code of a program that it ended, as a shell tells it."""
INTERRUPTED = SIGNALLED + signal.SIGINT
PIPE_CLOSED = SIGNALLED + 13  # SIGPIPE, which not every system has


@contextmanager
def left_in_order() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the block as an error does: a database that was begun is removed.

    Where one of them is ignored, as under ``nohup``, or caught, it stays so.
    """

    def leave(number: int, frame: FrameType | None) -> NoReturn:
        signal.signal(number, signal.SIG_DFL)
        raise SystemExit(SIGNALLED + number)

    ends = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    here = threading.current_thread() is threading.main_thread()  # only there signals can be caught
    caught = [number for number in ends if here and signal.getsignal(number) is signal.SIG_DFL]
    for number in caught:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)
