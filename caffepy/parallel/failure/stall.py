"""Whether this rank's work has come to a standstill although its process lives: a layer that never returns, a disk that does not answer."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from caffepy.parallel.transport.communicator import START

IDLE = 0.04
"""Processor time per second below which a process does nothing but wait; the watch and a courier need about half of it."""
START_S = 60.0
"""At the start a rank may be held up as long: files are opened for the first time, perhaps over a network."""
WRITING_S = 300.0
"""While a snapshot is written: a slow disk may take minutes to bring a large file to safety, and tells nothing meanwhile."""
OWN_FOLDER = str(Path(__file__).parents[1])
BESIDE = "caffepy-background"
"""The thread that writes snapshots."""


class StallDetector:
    """Asked again and again, from another thread: ``held_s(place)`` gives the seconds for which the main thread has been held up.

    It is held up while it is at one ``place``, uses no processor time and does not wait for other ranks: in that case another one is.
    A layer that computes for ever is not told from one that computes for long.

    ``limit_s``: how many seconds are too many where it was last asked, for somebody who has ``timeout_s`` to wait.
    """

    def __init__(self, timeout_s: float = 0.0) -> None:
        self.limit_s = self._timeout_s = timeout_s
        self._main = threading.main_thread().ident
        self._place, self._since, self._used = "", time.monotonic(), time.process_time()

    def held_s(self, place: str) -> float:
        """Seconds, 0.0 while the work goes on."""
        now, used = time.monotonic(), time.process_time()
        held, limit_s = now - self._since, self._limit(place)
        if place != self._place or limit_s != self.limit_s or used - self._used > IDLE * max(held, 1.0) or self._excused():
            self._place, self.limit_s, self._since, self._used = place, limit_s, now, used
            return 0.0
        return held

    def _limit(self, place: str) -> float:
        if any(thread.name == BESIDE for thread in threading.enumerate()):
            return max(self._timeout_s, WRITING_S)
        return max(self._timeout_s, START_S) if place == START else self._timeout_s

    def _excused(self) -> bool:
        """The main thread waits for other ranks, or for whoever reads the log."""
        frame = sys._current_frames().get(self._main) if self._main else None
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith(OWN_FOLDER) or file.endswith("caffepy/log.py"):
                return True
            frame = frame.f_back
        return False
