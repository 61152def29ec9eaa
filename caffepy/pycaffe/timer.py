"""caffe.Timer: how long something takes."""

from __future__ import annotations

import time

import torch

from caffepy import log
from caffepy.pycaffe.state import state


class Timer:
    """``start()``, ``stop()``, then ``ms``. On a GPU it waits for the work that was begun."""

    def __init__(self) -> None:
        self._started = 0.0
        self._stopped = 0.0
        self._runs = False
        self._ran = False

    def start(self) -> None:
        """Begin, unless it runs."""
        if not self._runs:
            self._started = _now()
            self._runs = True
            self._ran = True

    def stop(self) -> None:
        """End, if it runs."""
        if self._runs:
            self._stopped = _now()
            self._runs = False

    @property
    def ms(self) -> float:
        """Milliseconds between start and stop.

        One that still runs is stopped, one that never ran gives 0.
        """
        if not self._ran:
            log.warning("benchmark.cpp:87", "Timer has never been run before reading time.")
        self.stop()
        return (self._stopped - self._started) * 1e3


def _now() -> float:
    if state.device.type == "cuda":
        torch.cuda.synchronize(state.device)
    return time.perf_counter()
