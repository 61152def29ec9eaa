"""caffe.Timer: how long something takes."""

from __future__ import annotations

import time

import torch

from caffepy.pycaffe.state import state


class Timer:
    """``start()``, ``stop()``, then ``ms``. On a GPU it waits for the work that was begun."""

    def __init__(self) -> None:
        self._started = self._stopped = 0.0
        self._runs = False

    def start(self) -> None:
        """Begin."""
        self._started, self._runs = _now(), True

    def stop(self) -> None:
        """End, if it runs."""
        if self._runs:
            self._stopped, self._runs = _now(), False

    @property
    def ms(self) -> float:
        """Milliseconds between start and stop; one that still runs is stopped."""
        self.stop()
        return (self._stopped - self._started) * 1e3


def _now() -> float:
    if state.device.type == "cuda":
        torch.cuda.synchronize(state.device)
    return time.perf_counter()
