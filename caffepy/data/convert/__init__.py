"""From image files and published data sets to databases and mean images."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

from caffepy import log

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of items done, and of all items."""


def no_progress(done: int, total: int) -> None:
    """A `Progress` that does nothing."""


def log_speed(
    place: str, images: int, began: float, *, write: Callable[[str, str], None] = log.info
) -> None:
    """Log the speed of a job that began at ``began``, a ``time.monotonic()``.

    ``write``: the function that writes the line.
    """
    if images:
        write(place, f"{log.rate(images / max(time.monotonic() - began, 1e-9))} images/s")
