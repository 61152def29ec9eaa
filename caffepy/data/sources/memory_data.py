"""Source of the MemoryData layer: arrays that the program sets."""

# N batch, C channels, H height, W width, M items

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

from caffepy import log
from caffepy.data.shard import Shard
from caffepy.data.source import Batch, Source, State
from caffepy.data.transformer import RandomStream, Transformer, TransformSpec
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2


class MemoryDataSource(Source):
    """Batches (N, C, H, W) and labels (N, 1, 1, 1) of the arrays of `set_arrays`, again and again.

    They are not transformed. Before the first batch the shape of labels is (N,), as in Caffe.
    """

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int, shard: Shard = Shard()) -> None:
        """``param``: a caffe.LayerParameter with memory_data_param.

        DataError if a size is missing.
        """
        super().__init__(shard)
        data = param.memory_data_param
        shape = tuple(
            int(size) for size in (data.batch_size, data.channels, data.height, data.width)
        )
        if 0 in shape:
            raise DataError(
                "batch_size, channels, height, and width must be specified and positive in"
                " memory_data_param; "
                f"found {', '.join(map(str, shape))}"
            )
        self.shapes = ((*shape,), (shape[0],))
        self._transformer = Transformer(TransformSpec.from_proto(param.transform_param), phase)
        self._transforms = param.HasField("transform_param")
        self._data: torch.Tensor | None = None
        self._label = torch.empty(0)
        self._place = 0

    def set_arrays(self, data: npt.ArrayLike, labels: npt.ArrayLike) -> None:
        """Use these items from now on.

        ``data``: (M, C, H, W); ``labels``: M values; M: a multiple of the batch size. float32
        arrays are not copied, so later changes of them have an effect.
        """
        values = np.ascontiguousarray(data, np.float32)
        wanted = np.ascontiguousarray(labels, np.float32)
        shape, n = self.shapes[0], len(values)
        if values.ndim != 4 or values.shape[1:] != shape[1:]:
            raise DataError(
                f"the data array is {values.shape}; needed: (items,"
                f" {', '.join(map(str, shape[1:]))}), as the layer says"
            )
        if wanted.size != n:
            raise DataError(f"{wanted.size} labels for {n} items; needed: one each")
        if n == 0 or n % shape[0]:
            raise DataError(f"{n} items; needed: a multiple of the batch size {shape[0]}")
        if self._transforms:
            log.warning(
                "memory_data_layer.cpp:87", "MemoryData does not transform array data on Reset()"
            )
        self._data = torch.from_numpy(values)
        self._label = torch.from_numpy(wanted.reshape(-1, 1, 1, 1))
        self._place = 0

    def seed(self, stream: RandomStream) -> None:
        """One draw if transform_param could need it, as Caffe creates its transformer."""
        self._transformer.seed(stream)

    def _make(self) -> Batch:
        if self._data is None:
            raise DataError(
                "MemoryDataLayer needs to be initialized by calling Reset: give it arrays by"
                " set_input_arrays"
            )
        batch = slice(self._place, self._place + self.shapes[0][0])
        self._place = batch.stop % len(self._data)
        return self._data[batch], self._label[batch]

    def state(self) -> State:
        return {"place": self._place}

    def restore(self, state: State) -> None:
        self._place = int(state["place"])

    def close(self) -> None:
        self._data = None
