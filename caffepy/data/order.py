"""The order in which a list of known length is gone through, over and over."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.errors import DataError


class Order:
    """Indices of a rank's own items: every size-th of the sequence that all ranks go through together.

    With a shuffle each pass has a new order, which is made from the last one, as in Caffe: the state holds it.
    """

    def __init__(self, length: int, shard: Shard) -> None:
        self.length, self.shard = length, shard
        self._place = shard.rank
        self._random: Mt19937 | None = None
        self._items: npt.NDArray[np.int64] = np.arange(length)
        self._written: str | None = None  # the items as text, made once a pass

    def shuffle(self, random: Mt19937) -> None:
        """Shuffle now and before each further pass; all ranks need the same ``random``."""
        self._random = random
        self._reshuffle()

    def skip(self, n: int) -> None:
        """Pass ``n`` items."""
        self._place += n

    def take(self, n: int) -> list[int]:
        """The next ``n`` indices."""
        found: list[int] = []
        while len(found) < n:
            if self._place >= self.length:
                self._place -= self.length
                self._reshuffle()
                continue
            new = self._items[self._place :: self.shard.size][: n - len(found)]
            found += new.tolist()
            self._place += len(new) * self.shard.size
        return found

    def _reshuffle(self) -> None:
        if self._random is not None:
            self._items = self._random.shuffle(self._items)
            self._written = None

    def state(self) -> dict[str, Any]:
        """JSON-able; the same for all ranks."""
        state: dict[str, Any] = {"place": self._place - self.shard.rank}
        if self._random is not None:
            if self._written is None:
                self._written = base64.b64encode(self._items.astype("<u4").tobytes()).decode()
            state |= {"items": self._written, "random": self._random.state()}
        return state

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state`.  DataError if the list has another length now."""
        self._place = int(state["place"]) + self.shard.rank
        if "items" in state:
            items = np.frombuffer(base64.b64decode(state["items"]), "<u4").astype(np.int64)
            if len(items) != self.length:
                raise DataError(f"the saved order is of {len(items)} items, there are {self.length} now; the list was changed")
            self._items, self._written = items, state["items"]
            self._random = self._random or Mt19937(0)
            self._random.restore(state["random"])
