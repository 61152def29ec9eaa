"""Source of the Data layer: records of an LMDB or LevelDB."""

# N batch, C channels, H W image, h w output

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from caffepy import log
from caffepy.data import image as images
from caffepy.data.datum import Buffer, Datum, Layout, decode, decode_stack
from caffepy.data.order import Permutations
from caffepy.data.shard import CONTIGUOUS, Places, Shard, Walk
from caffepy.data.source import MOVED, Batch, Source, State, warn_ignored
from caffepy.data.stores import BACKENDS, STAND_IN
from caffepy.data.transformer import Draws, Floats, RandomStream, Transformer, TransformSpec, Values
from caffepy.data.workers import Workers
from caffepy.errors import DataError

STACK_BYTES = 1 << 14
"""Raw records up to this size are joined and read together; bigger ones are read where they lie."""


class DataSource(Source):
    """Batches (N, C, h, w) and labels (N,), from the last record on to the first again: in key order, or shuffled anew each time."""

    def __init__(self, param: Any, phase: int, shard: Shard = Shard()) -> None:
        """``param``: a caffe.LayerParameter with data_param.  DataError if the database or its first record cannot be used."""
        super().__init__(shard)
        data = param.data_param
        warn_ignored(data, (*MOVED, "force_encoded_color", "rand_skip"), "data_layer.cpp:0")
        self._path = data.source
        self._labels = len(param.top) > 1
        self._batch_size = int(data.batch_size)
        if self._batch_size == 0:
            raise DataError("data_param.batch_size is 0; needed: at least 1")
        self._transformer = Transformer(TransformSpec.from_proto(param.transform_param), phase)
        self._store = shard.opener(self._path, BACKENDS[data.backend])
        self._cursor = self._store.cursor()
        self._cursor.skip(shard.sharers)
        if self._cursor.wraps:
            shard.check(len(self._store), self._path)
        self._shuffled = Permutations(len(self._store)) if data.shuffle else None
        self._walk = Walk(shard, len(self._store) if shard.mode == CONTIGUOUS else 0)
        self._places: Places = np.arange(0)  # those of the batch that was taken last
        self._workers = Workers()
        self._layout: Layout | None = None
        try:
            shape = self._transformer.output_shape(self._image(decode(self._store.first())).shape)
        except DataError as error:
            self._places, self._shuffled = np.zeros(1, np.int64), None
            raise self._named(error, 0) from error
        self._start()
        top = (self._batch_size, *shape)
        self.shapes = (top, (self._batch_size,)) if self._labels else (top,)
        if os.path.exists(os.path.join(self._path, STAND_IN)):
            log.warning(
                "data_layer.cpp:45",
                f"{self._path} holds generated stand-in pictures, not the real data set: accuracies say nothing about it",
            )
        log.info("data_layer.cpp:45", f"output data size: {','.join(map(str, top))}")

    def seed(self, stream: RandomStream) -> None:
        """Two seeds for the transformer (Caffe sets it up twice), one that Caffe gives to its reading thread: here it shuffles."""
        self._transformer.seed(stream, self.shard.rank)
        self._transformer.seed(stream, self.shard.rank)
        seed = int(stream.raw(1)[0])
        if self._shuffled is not None:
            self._shuffled.seed = self.shard.agree(seed)

    def _make(self) -> Batch:
        records = self._take()
        draws = self._transformer.draws(len(records))
        stack = decode_stack(records) if len(records[0]) <= STACK_BYTES else None
        if stack is None:
            return self._one_by_one(records, draws)
        try:
            shape = self._transformer.output_shape(stack.images.shape[1:])
        except DataError as error:
            raise self._named(error, 0) from error
        out = self.pool.take((len(records), *shape))
        self._transformer.apply_stack(stack.images, out, draws)
        return self._tops(out, stack.labels.astype(np.float32))

    def _one_by_one(self, records: Sequence[Buffer], draws: Draws | None) -> Batch:
        """Records that differ, are big, encoded or hold floats."""
        labels = np.empty(len(records), np.float32)
        rows = None if draws is None else draws.tolist()
        try:
            layout = self._layout_of(records[0])
            first = self._opened(records[0], layout)
            out = self.pool.take((self._batch_size, *self._transformer.output_shape(first[0].shape)))
        except DataError as error:
            raise self._named(error, 0) from error

        def work(i: int) -> None:
            try:
                image, labels[i] = first if i == 0 else self._opened(records[i], layout)
                if image.shape != first[0].shape and self._transformer.output_shape(image.shape) != out.shape[1:]:
                    found, needed = "x".join(map(str, image.shape)), "x".join(map(str, out.shape[1:]))
                    raise DataError(f"is {found}, its batch is {needed}; needed: records of one size, a crop_size, or batch_size 1")
                self._transformer.apply(image, out[i], None if rows is None else rows[i])
            except DataError as error:
                raise self._named(error, i) from error

        # decoding takes long and leaves Python's lock alone; raw pixels are only copied
        self._workers.run(work, len(records), parallel=layout is None)
        return self._tops(out, labels)

    def _layout_of(self, record: Buffer) -> Layout | None:
        """The layout that raw records like this one share: mostly the one of the batch before."""
        if self._layout is None or self._layout.read(record) is None:
            self._layout = Layout.of(record)
        return self._layout

    def _opened(self, record: Buffer, layout: Layout | None) -> tuple[Values, int]:
        """Image (C, H, W) and label."""
        known = None if layout is None else layout.read(record)
        if known is not None:
            return known
        datum = decode(record)
        return self._image(datum), datum.label

    def _image(self, datum: Datum) -> Values:
        if not datum.encoded:
            return datum.image()
        spec = self._transformer.spec
        return images.decode_datum(datum.data, force_color=spec.force_color, force_gray=spec.force_gray)

    def _tops(self, out: Floats, labels: Floats) -> Batch:
        data = torch.from_numpy(out)
        return (data, torch.from_numpy(labels)) if self._labels else (data,)

    def _start(self) -> None:
        """Put a new cursor at the next record of all ranks."""
        self._cursor, self._cursor_place = self._store.cursor(), self._walk.passed
        if self._walk.passed:
            self._cursor.skip(self._walk.passed % len(self._store))

    def _take(self) -> list[Buffer]:
        """This rank's next records."""
        before, self._places = self._places, self._walk.take(self._batch_size)
        wraps = self._cursor.wraps
        if self._shuffled is None:
            records = self._read_on()
            again = self._cursor.wraps > wraps
        else:
            records = self._store.pick(self._shuffled.at(self._places).tolist())
            again = len(before) > 0 and bool(before[-1] // len(self._store) < self._places[-1] // len(self._store))
        if again:
            log.info("data_layer.cpp:73", "Restarting data prefetching from start.")
        return records

    def _read_on(self) -> list[Buffer]:
        """The records at the places, by going on from the ones before."""
        records: list[Buffer] = []
        for run in np.split(self._places, np.flatnonzero(np.diff(self._places) != 1) + 1):
            self._cursor.skip(int(run[0]) - self._cursor_place)
            records += self._cursor.take(len(run))
            self._cursor_place = int(run[-1]) + 1
        return records

    def skip(self, batches: int) -> None:
        for _ in range(batches):
            self._walk.take(self._batch_size)
            self._transformer.draws(self._batch_size)

    def _named(self, error: DataError, i: int) -> DataError:
        """The error of record ``i`` of the batch with the record's place and key."""
        places = self._places[i : i + 1]
        position = int(places[0] % len(self._store)) if self._shuffled is None else int(self._shuffled.at(places)[0])
        return DataError(f"'{self._path}', record {position} (key '{self._store.key(position)}'): {error}")

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
