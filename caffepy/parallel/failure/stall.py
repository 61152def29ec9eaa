"""Whether this rank's work stands still although its process lives.

Such as in a layer that never returns, or on a disk that does not answer.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from caffepy.parallel.launch.place import START

IDLE = 0.04
"""Processor time per second below which a process only waits.

The thread of the monitor client and a courier need about half of it.
"""
START_S = 60.0
"""At the start a rank may be held up as long: it opens files, perhaps over a network."""
WRITING_S = 300.0
"""While a snapshot is written: a slow disk may take minutes for a large file."""
PARALLEL_FOLDER = str(Path(__file__).parents[1])
SNAPSHOT_THREAD = "caffepy-background"
"""The name of the thread that writes snapshots."""


class StallDetector:
    """Asked again and again, from another thread than the main one.

    The main thread is held up while it is at one place, uses no processor time and does not wait
    for other ranks (if it does, another rank is held up). A layer that computes for ever is not
    told from one that computes for long.

    ``timeout_s``: for how long it may be held up; see ``limit_s``.
    """

    def __init__(self, timeout_s: float = 0.0) -> None:
        self.limit_s = timeout_s
        """For how long the main thread may be held up where it was last: ``timeout_s`` or more."""
        self._timeout_s = timeout_s
        self._main = threading.main_thread().ident
        self._place = ""
        self._since = time.monotonic()
        self._used = time.process_time()

    def held_s(self, place: str) -> float:
        """For how long the main thread has been held up at ``place``; 0.0 while it works."""
        now = time.monotonic()
        used = time.process_time()
        held = now - self._since
        limit_s = self._limit(place)
        has_moved = place != self._place or limit_s != self.limit_s
        computes = used - self._used > IDLE * max(held, 1.0)
        if has_moved or computes or self._is_excused():
            self._place = place
            self.limit_s = limit_s
            self._since = now
            self._used = used
            return 0.0
        return held

    def _limit(self, place: str) -> float:
        if any(thread.name == SNAPSHOT_THREAD for thread in threading.enumerate()):
            return max(self._timeout_s, WRITING_S)
        return max(self._timeout_s, START_S) if place == START else self._timeout_s

    def _is_excused(self) -> bool:
        """The main thread waits for other ranks, or for whoever reads the log."""
        frame = sys._current_frames().get(self._main) if self._main else None
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith(PARALLEL_FOLDER) or file.endswith("caffepy/log.py"):
                return True
            frame = frame.f_back
        return False
