"""Whether this rank's work has come to a standstill although its process lives: a layer that never returns, a disk that does not answer."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

IDLE = 0.04
"""Processor time per second below which a process does nothing but wait; the watch and a courier need about half of it."""
OWN_FOLDER = str(Path(__file__).parent)
BESIDE = "caffepy-background"
"""The thread that writes snapshots: who waits for it waits for a disk that may be slow."""


class Standstill:
    """Asked again and again, from another thread: ``asked(place)`` gives the seconds for which the main thread has been held up.

    It is held up while it is at one ``place``, uses no processor time and does not wait for other ranks: in that case another one is.
    A layer that computes for ever is not told from one that computes for long.
    """

    def __init__(self) -> None:
        self._main = threading.main_thread().ident
        self._place, self._since, self._used = "", time.monotonic(), time.process_time()

    def asked(self, place: str) -> float:
        """Seconds, 0.0 while the work goes on."""
        now, used = time.monotonic(), time.process_time()
        held = now - self._since
        if place != self._place or used - self._used > IDLE * max(held, 1.0) or self._excused():
            self._place, self._since, self._used = place, now, used
            return 0.0
        return held

    def _excused(self) -> bool:
        """The main thread waits for other ranks, for a snapshot to be written, or for whoever reads the log."""
        if any(thread.name == BESIDE for thread in threading.enumerate()):
            return True
        frame = sys._current_frames().get(self._main) if self._main else None
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith(OWN_FOLDER) or file.endswith("caffepy/log.py"):
                return True
            frame = frame.f_back
        return False
