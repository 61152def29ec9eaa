"""From image files and published data sets to databases, and their mean images."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many items are done, of how many."""


def untold(done: int, total: int) -> None:
    """The `Progress` that nobody watches."""
