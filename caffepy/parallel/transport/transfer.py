"""Messages under way, and how a rank waits for them."""

from __future__ import annotations

import time
from typing import Protocol

NAP_S = 50e-6
LONGEST_NAP_S = 1e-3
NAP_SHARE = 1 / 16
"""Of the time since something moved: how long who waits sleeps, between the two above.

A call of MPI moves all that the sockets' buffers hold, so that long waits are not longer for it.
"""


class Transfer(Protocol):
    """A message under way."""

    def done(self) -> bool:
        """Whether it is over, so that the tensor may be used again.

        Asking also moves it on, where the transport needs that.
        """


def nap_s(still_s: float) -> float:
    """How long to sleep where nothing has moved for ``still_s``."""
    return min(LONGEST_NAP_S, max(NAP_S, NAP_SHARE * still_s))


def sleep_until(transfer: Transfer) -> None:
    """Return when ``transfer`` is done, at most 1 / 16 of the wait too late.

    What is done at once, as where ranks come together, is not slept for. The processor is left to
    others that long: MPI's own waits turn in a loop, beside which another rank on the same core
    computes at half its speed or, for some tenths of a second, not at all.
    """
    began = time.perf_counter()
    while not transfer.done():
        still_s = time.perf_counter() - began
        if still_s > NAP_S:
            time.sleep(nap_s(still_s))
