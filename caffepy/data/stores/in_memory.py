"""A database whose records are in the memory of this process or of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from caffepy.data.stores import open_read
from caffepy.data.stores.base import Buffer, Cursor, PickingCursor, Store


class Memory(Protocol):
    """Memory of bytes that can be read by their places."""

    def read(self, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> list[Buffer]:
        """The pieces from each start to its end."""


class InMemoryStore(Store):
    """Records of a database, contiguous in ``memory``.

    ``offsets``: where each record starts, and where the last one ends.
    """

    def __init__(
        self, path: str, backend: str, memory: Memory, offsets: npt.NDArray[np.int64]
    ) -> None:
        self.path = path
        self._backend = backend
        self._memory = memory
        self._offsets = offsets

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
        """Nothing to do: the memory belongs to its creator."""
