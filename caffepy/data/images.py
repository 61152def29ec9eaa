"""Source of the ImageData layer: image files named in a list."""

# N batch, C channels, H W image, h w output

from __future__ import annotations

import os
from typing import Any

import numpy as np
import torch

from caffepy import log
from caffepy.data import image as images
from caffepy.data.lists import Entry, read_images
from caffepy.data.order import Order
from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.data.source import MOVED, Batch, Source, State, warn_ignored
from caffepy.data.transformer import Floats, RandomStream, Transformer, TransformSpec, Values
from caffepy.data.workers import Workers
from caffepy.errors import DataError


class ImageDataSource(Source):
    """Batches (N, C, h, w) and labels (N,) in the list's order or shuffled anew for each pass."""

    def __init__(self, param: Any, phase: int, shard: Shard = Shard()) -> None:
        """``param``: a caffe.LayerParameter with image_data_param.  DataError if the list or its first image cannot be read."""
        super().__init__(shard)
        self._param = data = param.image_data_param
        warn_ignored(data, MOVED, "image_data_layer.cpp:0")
        if (data.new_height > 0) != (data.new_width > 0):
            raise DataError("Current implementation requires new_height and new_width to be set at the same time.")
        self._transformer = Transformer(TransformSpec.from_proto(param.transform_param), phase)
        self._labels = len(param.top) > 1
        self._root = os.fsencode(data.root_folder)
        log.info("image_data_layer.cpp:38", f"Opening file {data.source}")
        self._entries = read_images(data.source, where="image_data_layer.cpp:41")
        log.info("image_data_layer.cpp:63", f"A total of {len(self._entries)} images.")
        shard.check(len(self._entries), data.source)
        self._order = Order(len(self._entries), self.shard)
        self._workers = Workers()
        first = self._entries[0]
        try:
            shape = self._transformer.output_shape(self._read(first).shape)
        except DataError as error:
            raise self._named(error, first) from error
        batch = int(data.batch_size)
        if batch == 0:
            raise DataError("image_data_param.batch_size is 0; needed: at least 1")
        self.shapes = ((batch, *shape), (batch,)) if self._labels else ((batch, *shape),)
        log.info("image_data_layer.cpp:83", f"output data size: {','.join(map(str, self.shapes[0]))}")

    def seed(self, stream: RandomStream) -> None:
        """The transformer's seed, those of shuffle and rand_skip, the transformer's again, and one for Caffe's reading thread."""
        self._transformer.seed(stream, self.shard.rank)
        self._order = Order(len(self._entries), self.shard)
        if self._param.shuffle:
            log.info("image_data_layer.cpp:52", "Shuffling data")
            self._order.shuffle(Mt19937(self.shard.agree(int(stream.raw(1)[0]))))
        if self._param.rand_skip:
            skip = self.shard.agree(int(stream.raw(1)[0])) % int(self._param.rand_skip)
            log.info("image_data_layer.cpp:70", f"Skipping first {skip} data points.")
            if skip >= len(self._entries):
                raise DataError(f"Not enough points to skip: rand_skip drew {skip}, '{self._param.source}' has {len(self._entries)} images")
            self._order.skip(skip)
        self._transformer.seed(stream, self.shard.rank)
        stream.raw(1)

    def _make(self) -> Batch:
        entries = [self._entries[i] for i in self._order.take(self.shapes[0][0]).tolist()]
        draws = self._transformer.draws(len(entries))
        rows = None if draws is None else draws.tolist()
        labels = np.array([entry.label for entry in entries], np.float32)
        try:
            first = self._read(entries[0])
            out = self.pool.take((len(entries), *self._transformer.output_shape(first.shape)))
        except DataError as error:
            raise self._named(error, entries[0]) from error

        def work(i: int) -> None:
            try:
                image = first if i == 0 else self._read(entries[i])
                shape = self._transformer.output_shape(image.shape)
                if shape != out.shape[1:]:
                    found, needed = "x".join(map(str, shape)), "x".join(map(str, out.shape[1:]))
                    raise DataError(f"is {found}, its batch is {needed}; needed: new_height and new_width, a crop_size, or batch_size 1")
                self._transformer.apply(image, out[i], None if rows is None else rows[i])
            except DataError as error:
                raise self._named(error, entries[i]) from error

        self._workers.run(work, len(entries), parallel=True)
        return self._tops(out, labels)

    def skip(self, batches: int) -> None:
        for _ in range(batches):
            self._order.take(self.shapes[0][0])
            self._transformer.draws(self.shapes[0][0])

    def _read(self, entry: Entry) -> Values:
        path, data = self._root + entry.name, self._param
        image = images.read(path, data.is_color, height=int(data.new_height), width=int(data.new_width))
        if image is None:
            raise DataError(f"Could not load {os.fsdecode(path)}: {images.why_unreadable(path)}")
        return images.channels_first(image)

    def _named(self, error: DataError, entry: Entry) -> DataError:
        return DataError(f"'{self._param.source}', line {entry.line + 1} ('{os.fsdecode(entry.name)}'): {error}")

    def _tops(self, out: Floats, labels: Floats) -> Batch:
        data = torch.from_numpy(out)
        return (data, torch.from_numpy(labels)) if self._labels else (data,)

    def state(self) -> State:
        return {"order": self._order.state(), "random": self._transformer.state()}

    def restore(self, state: State) -> None:
        self._order.restore(state["order"])
        self._transformer.restore(state["random"])

    def close(self) -> None:
        self._workers.close()
