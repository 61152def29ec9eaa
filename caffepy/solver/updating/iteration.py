"""One iteration's update: which it is and at which rate."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Iteration:
    """One iteration's update.  ``rate``: gives its learning rate; asked once, when it is first needed."""

    def __init__(self, number: int, rate: Callable[[], float]) -> None:
        self.number = number
        self._ask: Callable[[], float] | None = rate
        self._known = 0.0
        self._asking = threading.Lock()

    def rate(self) -> float:
        """The learning rate.  An exchange may ask from another thread while backward goes on."""
        with self._asking:
            if self._ask is not None:
                self._known, self._ask = (
                    self._ask(),
                    None,
                )  # and let go of the solver that it belongs to
            return self._known
