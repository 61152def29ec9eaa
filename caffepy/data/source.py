"""What all data sources have: shapes, a seed, batches, and a state from which to continue."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from google.protobuf.message import Message

from caffepy import log
from caffepy.data.buffers import BufferPool
from caffepy.data.shard import Shard
from caffepy.data.size_text import size_text
from caffepy.data.transformer import FIELDS as TRANSFORM_FIELDS
from caffepy.data.transformer import Floats, RandomStream
from caffepy.errors import DataError

Shape: TypeAlias = tuple[int, ...]
State: TypeAlias = dict[str, Any]
Batch: TypeAlias = tuple[torch.Tensor, ...]

MOVED = ("scale", "mean_file", "crop_size", "mirror")
"""Fields of data layers that are in transform_param now; upgrades of old nets move their values."""


class Source(ABC):
    """Makes the batches of one data layer.

    ``shapes``: those of the tops of one batch, known before the first. If records differ in size, a
    batch has the shape of its first record. ``pool``: memory for the batches. ``batches``: how many
    were asked for; ``spent_s``: the time for them.

    A source is used by one thread at a time.
    """

    shapes: tuple[Shape, ...]
    _given_back: Batch | None = None

    def __init__(self, shard: Shard) -> None:
        self.shard = shard
        self.pool = BufferPool()
        self.batches = 0
        self.spent_s = 0.0

    def _as_batch(self, *tops: Floats) -> Batch:
        """The batch of these; those for which the layer has no top are left out."""
        return tuple(torch.from_numpy(top) for top in tops[: len(self.shapes)])

    @abstractmethod
    def seed(self, stream: RandomStream) -> None:
        """Draw from the net's stream what Caffe's layer draws when it is set up, in its order."""

    def next(self) -> Batch:
        """The next batch, float32 on the CPU, a tensor for each top.

        DataError names the record that cannot be used.
        """
        if self._given_back is not None:
            batch = self._given_back
            self._given_back = None
            return batch
        started = time.perf_counter()
        batch = self._make()
        self.spent_s += time.perf_counter() - started
        self.batches += 1
        return batch

    def give_back(self, batch: Batch) -> None:
        """The next batch is this one, which `next` has returned before."""
        self._given_back = batch

    @abstractmethod
    def _make(self) -> Batch:
        """Make the batch that `next` returns."""

    def skip(self, batches: int) -> None:
        """Skip so many batches."""
        for _ in range(batches):
            self._make()

    @property
    def records(self) -> int:
        """Number of records or entries of a list, which are read in turn; 0 where unknown."""
        return 0

    @property
    def maker(self) -> Source:
        """The source that makes the batches: this one, or the one in its thread."""
        return self

    def clock(self) -> Clock:
        """How many batches it has made since it was opened, and in what time."""
        return Clock(self.batches, self.spent_s, self.maker.batches, self.maker.spent_s)

    @abstractmethod
    def state(self) -> State:
        """The state after the last batch, JSON-able.

        It is the same for all ranks, except for random streams.
        """

    @abstractmethod
    def restore(self, state: State) -> None:
        """Continue after the batch after which ``state`` was taken."""

    @abstractmethod
    def close(self) -> None:
        """Release files and threads."""


@dataclass(frozen=True)
class Clock:
    """How long a source has worked so far.

    ``waited_s``: the net's time for its batches. A thread may have made them before, which is
    ``made_s``.
    """

    batches: int
    waited_s: float
    made: int
    made_s: float

    def since(self, before: Clock) -> Pace:
        """The times per batch after ``before``."""
        waited, made = self.waited_s - before.waited_s, self.made_s - before.made_s
        return Pace(
            1e3 * waited / max(1, self.batches - before.batches),
            1e3 * made / max(1, self.made - before.made),
        )


@dataclass(frozen=True)
class Pace:
    """Milliseconds per batch: how long the net waited, and how long it took to make."""

    waited_ms: float
    made_ms: float


class OtherTop(Exception):
    """The first image of a batch, ``image``, makes a top of another shape than those before."""

    def __init__(self, image: Shape, top: Shape) -> None:
        super().__init__(image, top)
        self.image, self.top = image, top


def size_error(shape: Sequence[int], needed: Sequence[int], remedy: str) -> DataError:
    """The error for an item of another size than the other items of its batch."""
    found = size_text(shape)
    wanted = size_text(needed)
    if shape[0] != needed[0]:
        return DataError(
            f"is {found}, its batch is {wanted}; needed: as many channels (force_color or"
            " force_gray for encoded records)"
        )
    return DataError(f"is {found}, its batch is {wanted}; needed: {remedy}, or batch_size 1")


def warn_ignored(message: Message, names: Sequence[str], where: str) -> None:
    """Warn of fields that have no effect in layers of the present format, as in Caffe."""
    for field, _ in message.ListFields():
        if field.name in names:
            advice = (
                "; transform_param has one that works" if field.name in TRANSFORM_FIELDS else ""
            )
            log.warning(where, f"{message.DESCRIPTOR.name}.{field.name} has no effect{advice}")
