"""How long a message waits until its rank looks for it.

It is measured beside the computing that the message waits for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from caffepy.parallel.collective.courier import PERIOD_S
from caffepy.parallel.transport.transfer import NAP_S

NAPS = 100


@dataclass(frozen=True)
class PollDelays:
    """Mean seconds until a message is looked for.

    ``computing_s``: by the courier's thread, while the rank computes. ``waiting_s``: by the rank
    itself, while it waits.
    """

    computing_s: float = PERIOD_S / 2
    waiting_s: float = NAP_S


def measure_polling(compute: Callable[[], object]) -> PollDelays:
    """Measure while ``compute`` runs, and after it.

    Where threads share cores, a thread that sleeps wakes late.
    """
    naps: list[float] = []
    over = threading.Event()

    def doze() -> None:
        while not naps or not over.is_set():
            naps.append(_sleep(PERIOD_S))

    thread = threading.Thread(target=doze, name="polling")
    thread.start()
    compute()
    over.set()
    thread.join()
    return PollDelays(_mean_wait(naps), _mean_wait([_sleep(NAP_S) for _ in range(NAPS)]))


def _sleep(seconds: float) -> float:
    """Sleep; how long that really took."""
    began = time.perf_counter()
    time.sleep(seconds)
    return time.perf_counter() - began


def _mean_wait(naps: list[float]) -> float:
    """From a random moment to the end of the sleep that it falls into."""
    return sum(nap * nap for nap in naps) / (2 * sum(naps))
