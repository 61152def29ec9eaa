"""Which part of the records one rank reads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shard:
    """Rank ``rank`` of ``size`` takes records rank, rank + size, rank + 2 size, ..."""

    rank: int = 0
    size: int = 1
