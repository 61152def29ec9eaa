"""The common part of sources that read databases: the store, and the order of its records."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from caffepy import log
from caffepy.data.datum import Buffer
from caffepy.data.order import Permutations
from caffepy.data.shard import CONTIGUOUS, Places, Shard, Walk
from caffepy.data.source import MOVED, Source, State, warn_ignored
from caffepy.data.stores import BACKENDS, STAND_IN
from caffepy.data.transformer import RandomStream, Transformer, TransformSpec
from caffepy.data.workers import Workers
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

Result = TypeVar("Result")

NEAR_RECORDS = 16
"""Records closer to each other than this are read with those between them.

That is faster than to skip these.
"""


class RecordSource(Source):
    """Records of an LMDB or LevelDB, again and again.

    They are in key order, or shuffled for each pass.
    """

    def __init__(
        self, param: caffe_pb2.LayerParameter, phase: int, shard: Shard, spec: TransformSpec
    ) -> None:
        """``param``: a caffe.LayerParameter with data_param.

        DataError if the database cannot be used or has no record.
        """
        super().__init__(shard)
        data = param.data_param
        warn_ignored(data, (*MOVED, "force_encoded_color", "rand_skip"), "data_layer.cpp:0")
        self._path = data.source
        self._labels = len(param.top) > 1
        self._batch_size = int(data.batch_size)
        if self._batch_size == 0:
            raise DataError("data_param.batch_size is 0; needed: at least 1")
        self._transformer = Transformer(spec, phase)
        self._store = shard.opener(self._path, BACKENDS[data.backend])
        self._cursor = self._store.cursor()
        self._cursor.skip(shard.sharers)
        if self._cursor.wraps:
            shard.check(len(self._store), self._path)
        self._shuffled = Permutations(len(self._store)) if data.shuffle else None
        self._walk = Walk(shard, len(self._store) if shard.mode == CONTIGUOUS else 0)
        self._places: Places = np.arange(0)  # those of the last batch
        self._workers = Workers()
        self._start()
        if os.path.exists(os.path.join(self._path, STAND_IN)):
            log.warning(
                "data_layer.cpp:45",
                f"{self._path} holds generated stand-in pictures, not the real data set:"
                " accuracies say nothing about it",
            )

    def _first(self, read: Callable[[Buffer], Result]) -> Result:
        """The result of ``read`` on the first record.  A DataError names the record."""
        try:
            return read(self._store.first())
        except DataError as error:
            raise self._named_at(error, 0) from error

    def seed(self, stream: RandomStream) -> None:
        """Two seeds for the transformer (created twice in Caffe), one for the order of records."""
        self._seed_transformer(stream)
        self._seed_order(stream)

    def _seed_transformer(self, stream: RandomStream) -> None:
        for _ in range(2):
            self._transformer.seed(stream, self.shard.rank)

    def _seed_order(self, stream: RandomStream) -> None:
        """Draw the seed of Caffe's reading thread: here it shuffles."""
        seed = int(stream.raw(1)[0])
        if self._shuffled is not None:
            self._shuffled.seed = self.shard.agree(seed)

    def _start(self) -> None:
        """Put a new cursor at the next record of all ranks."""
        self._cursor = self._store.cursor()
        self._cursor_place = self._walk.passed
        if self._walk.passed:
            self._cursor.skip(self._walk.passed % len(self._store))

    def _take(self) -> list[Buffer]:
        """This rank's next records."""
        before = self._places
        self._places = self._walk.take(self._batch_size)
        wraps = self._cursor.wraps
        if self._shuffled is None:
            records = self._read_on()
            again = self._cursor.wraps > wraps
        else:
            records = self._store.pick(self._positions().tolist())
            again = len(before) > 0 and bool(
                before[-1] // len(self._store) < self._places[-1] // len(self._store)
            )
        if again:
            log.info("data_layer.cpp:73", "Restarting data prefetching from start.")
        return records

    def _read_on(self) -> list[Buffer]:
        """The records at the places, read from the cursor's place on."""
        records: list[Buffer] = []
        for run in self._runs():
            first, end = int(run[0]), int(run[-1]) + 1
            self._cursor.skip(first - self._cursor_place)
            taken = self._cursor.take(end - first)
            records += (
                taken if len(taken) == len(run) else [taken[i] for i in (run - first).tolist()]
            )
            self._cursor_place = end
        return records

    def _runs(self) -> list[Places]:
        """The places, divided where the distance between records is large."""
        if self._places[-1] - self._places[0] < NEAR_RECORDS * len(self._places):
            return [self._places]
        return np.split(self._places, np.flatnonzero(np.diff(self._places) > NEAR_RECORDS) + 1)

    @property
    def records(self) -> int:
        return len(self._store)

    def skip(self, batches: int) -> None:
        for _ in range(batches):
            self._walk.take(self._batch_size)
            self._transformer.draws(self._batch_size)

    def _locate_errors(self, i: int, work: Callable[[], Result]) -> Result:
        """The result of ``work`` on record ``i`` of the batch.  A DataError names the record."""
        try:
            return work()
        except DataError as error:
            raise self._named_at(error, int(self._positions()[i])) from error

    def _positions(self) -> Places:
        """The positions of the batch's records in the database."""
        return (
            self._places % len(self._store)
            if self._shuffled is None
            else self._shuffled.at(self._places)
        )

    def _named_at(self, error: DataError, position: int) -> DataError:
        return DataError(
            f"'{self._path}', record {position} (key '{self._store.key(position)}'): {error}"
        )

    def state(self) -> State:
        order = {} if self._shuffled is None else {"order": self._shuffled.seed}
        return {"passed": self._walk.passed, "random": self._transformer.state(), **order}

    def restore(self, state: State) -> None:
        self._walk.passed = int(state["passed"])
        self._transformer.restore(state["random"])
        if self._shuffled is not None:
            self._shuffled.seed = int(state.get("order", self._shuffled.seed))
        self._start()

    def close(self) -> None:
        self._workers.close()
        self._store.close()
