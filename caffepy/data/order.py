"""The order in which a list of known length is read, again and again."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard, Walk
from caffepy.errors import DataError

Items = npt.NDArray[np.int64]


class Order:
    """Indices of a rank's items, in the sequence that all ranks share.

    If shuffled, each pass has a new order, made from the last one as in Caffe. So the state
    contains the order.
    """

    def __init__(self, length: int, shard: Shard) -> None:
        self.length = length
        self._walk = Walk(shard, length)
        self._epoch = 0
        self._random: Mt19937 | None = None
        self._items: Items = np.arange(length)
        self._written: str | None = None  # the items as text, made once a pass

    def shuffle(self, random: Mt19937) -> None:
        """Shuffle now and before each further pass; all ranks need the same ``random``."""
        self._random = random
        self._reshuffle()

    def skip(self, n: int) -> None:
        """Skip ``n`` items."""
        self._walk.passed += n

    def take(self, n: int) -> Items:
        """The next ``n`` indices."""
        places = self._walk.take(n)
        epochs = places // self.length
        items = places % self.length
        if self._random is None:
            return items
        for epoch in np.unique(epochs):
            while self._epoch < epoch:
                self._epoch += 1
                self._reshuffle()
            items[epochs == epoch] = self._items[items[epochs == epoch]]
        return items

    def _reshuffle(self) -> None:
        if self._random is not None:
            self._items = self._random.shuffle(self._items)
            self._written = None

    def state(self) -> dict[str, Any]:
        """JSON-able; the same for all ranks, except where one is in the next pass already."""
        state: dict[str, Any] = {"passed": self._walk.passed}
        if self._random is not None:
            if self._written is None:
                self._written = base64.b64encode(self._items.astype("<u4").tobytes()).decode()
            state |= {"epoch": self._epoch, "items": self._written, "random": self._random.state()}
        return state

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from `state`.  DataError if the list has another length now."""
        self._walk.passed = int(state["passed"])
        if "items" in state:
            items = np.frombuffer(base64.b64decode(state["items"]), "<u4").astype(np.int64)
            if len(items) != self.length:
                raise DataError(
                    f"the saved order is of {len(items)} items, there are {self.length} now;"
                    " the list was changed"
                )
            self._epoch = int(state["epoch"])
            self._items = items
            self._written = state["items"]
            self._random = self._random or Mt19937(0)
            self._random.restore(state["random"])


class Permutations:
    """A new order of ``length`` items for each epoch, from a seed and the epoch's number alone."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.seed = 0
        self._epoch = -1
        self._items: Items = np.arange(0)

    def at(self, places: Items) -> Items:
        """The items at these ascending places in the sequence of all epochs."""
        epochs = places // self.length
        items = places % self.length
        for epoch in np.unique(epochs).tolist():
            if epoch != self._epoch:
                bits = np.random.MT19937(np.random.SeedSequence([self.seed, epoch]))
                self._epoch = epoch
                self._items = np.random.RandomState(bits).permutation(self.length)
            items[epochs == epoch] = self._items[items[epochs == epoch]]
        return items
