"""From image files and published data sets to databases, and their mean images."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

from caffepy import log

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many items are done, of how many."""


def untold(done: int, total: int) -> None:
    """The `Progress` that nobody watches."""


def tell_speed(
    place: str, images: int, began: float, *, tell: Callable[[str, str], None] = log.info
) -> None:
    """The log's last line of a long job that began at this ``time.monotonic()``.

    None where nothing was done.
    """
    if images:
        tell(place, f"{log.rate(images / max(time.monotonic() - began, 1e-9))} images/s")
