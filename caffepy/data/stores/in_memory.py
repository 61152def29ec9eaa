"""A database whose records are in memory, of this process or of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from caffepy.data.stores import open_read
from caffepy.data.stores.base import Buffer, Cursor, PickingCursor, Store


class Memory(Protocol):
    """Bytes, wherever they are."""

    def read(self, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> list[Buffer]:
        """The pieces from each start to its end."""


class InMemoryStore(Store):
    """The records of a database, one after another in ``memory``.

    ``offsets``: where each starts, and the last one ends.
    """

    def __init__(
        self, path: str, backend: str, memory: Memory, offsets: npt.NDArray[np.int64]
    ) -> None:
        self.path, self._backend, self._memory, self._offsets = path, backend, memory, offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def known_length(self) -> int:
        return len(self)

    def cursor(self) -> Cursor:
        return PickingCursor(self)

    def items(self) -> Iterator[tuple[bytes, Buffer]]:
        with open_read(self.path, self._backend) as origin:  # the keys are in the file alone
            yield from origin.items()

    def pick(self, positions: Sequence[int]) -> list[Buffer]:
        places = np.asarray(positions, np.int64)
        return self._memory.read(self._offsets[places], self._offsets[places + 1])

    def close(self) -> None:
        """Nothing: the memory goes with who made it."""
