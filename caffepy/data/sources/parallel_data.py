"""Sources of ParallelData and ParallelInMemData: a file of raw images, and a list of labels."""

# N batch, C channels, H W image, h w output

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from caffepy import log
from caffepy.data import opencv
from caffepy.data.shard import Shard
from caffepy.data.source import MOVED, Batch, warn_ignored
from caffepy.data.sources.record_source import RecordSource
from caffepy.data.stores import Buffer
from caffepy.data.transformer import TransformSpec, Values, rows_of
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2
from caffepy.proto.as_float32 import as_float32
from caffepy.proto.atomic import open_file


class ParallelDataSource(RecordSource):
    """Batches (N, C, h, w) and labels (N,).

    A record has headerSize bytes, then H rows of W pixels: red, green, blue, or one gray value.
    """

    field = "parallel_data_param"
    in_memory = False

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int, shard: Shard = Shard()) -> None:
        """``param``: a caffe.LayerParameter with the field.

        DataError if the files cannot be used or do not fit each other.
        """
        data = getattr(param, self.field)
        warn_ignored(
            data,
            (*MOVED, "rand_skip", "root_folder", "test", "max_block_size"),
            "parallel_data_layer.cpp:0",
        )
        if not (data.new_height and data.new_width):
            raise DataError(
                f"{self.field}: new_height and new_width are {data.new_height} and"
                f" {data.new_width}; needed: those of the images"
            )
        self._size = (int(data.new_height), int(data.new_width), 3 if data.is_color else 1)
        self._header = int(data.headerSize)
        as_data = type(param)()
        as_data.CopyFrom(param)
        as_data.data_param.source = data.source
        as_data.data_param.batch_size = data.batch_size
        as_data.data_param.shuffle = data.shuffle
        log.info("parallel_data_layer.cpp:46", f"Opening label file {data.label}")
        self._all_labels = _read_labels(data.label)
        opener = shard.memory if self.in_memory else shard.opener
        backend = f"raw-{self._header + int(np.prod(self._size))}"
        shard = replace(shard, opener=lambda path, _: opener(path, backend))
        super().__init__(as_data, phase, shard, TransformSpec.from_proto(param.transform_param))
        if len(self._store) != len(self._all_labels):
            raise DataError(
                f"'{data.source}' has {len(self._store)} images, '{data.label}'"
                f" {len(self._all_labels)} labels; needed: as many"
            )
        shape = self._first(
            lambda record: self._transformer.output_shape(self._image(record).shape)
        )
        self.shapes = ((self._batch_size, *shape), (self._batch_size,))

    def _make(self) -> Batch:
        records = self._take()
        rows = rows_of(self._transformer.draws(len(records)), len(records))
        out = self.pool.take(self.shapes[0])
        for i, record in enumerate(records):
            self._transformer.apply(self._image(record), out[i], rows[i])
        return torch.from_numpy(out), torch.from_numpy(self._all_labels[self._positions()])

    def _image(self, record: Buffer) -> Values:
        """(C, H, W), colours in OpenCV's order, as everywhere in Caffe."""
        pixels = np.frombuffer(record, np.uint8, offset=self._header).reshape(self._size)
        return opencv.channels_first(np.ascontiguousarray(pixels[:, :, ::-1]))


class ParallelInMemDataSource(ParallelDataSource):
    """The same from the memory of all hosts, each of which has a part of the records."""

    field = "parallel_inmem_data_param"
    in_memory = True


def _read_labels(path: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The integers of a file, as float32.

    DataError if it cannot be read or has other words.
    """
    try:
        with open_file(path) as file:
            return as_float32([float(int(word)) for word in file.read().split()])
    except OSError as error:
        raise DataError(
            f"Could not open label file '{path}': {error.strerror} (looked in {os.getcwd()})"
        ) from error
    except (ValueError, OverflowError) as error:
        raise DataError(f"label file '{path}': {error}; needed: whole numbers") from error
