"""The number of an iteration, and the learning rate of its update."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Iteration:
    """One iteration's update.

    ``rate``: computes its learning rate; called once, when that is first needed.
    """

    def __init__(self, number: int, rate: Callable[[], float]) -> None:
        self.number = number
        self._compute: Callable[[], float] | None = rate
        self._rate = 0.0
        self._lock = threading.Lock()

    def rate(self) -> float:
        """The learning rate.  An exchange may call this in another thread during backward."""
        with self._lock:
            if self._compute is not None:
                self._rate = self._compute()
                self._compute = None  # it holds the solver in memory
            return self._rate
