"""Source of the DenseImageData layer: images and label images, named in a list."""

# N batch, C channels, H W image, h w output

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from caffepy import log
from caffepy.data import opencv
from caffepy.data.list_files import Pair, read_pairs
from caffepy.data.opencv import Pixels
from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.data.size_text import size_text
from caffepy.data.source import Batch, State, warn_ignored
from caffepy.data.sources.list_source import ListSource, check_size_in_batch
from caffepy.data.transformer import Draws, Transformer, TransformSpec
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2


class DenseImageDataSource(ListSource[Pair]):
    """Batches (N, C, h, w) and labels (N, 1, h, w).

    Mean and scale change the image only, mirror and crop both alike. Crops are random in both
    phases, as in SegNet.
    """

    place = "dense_image_data_layer.cpp"
    items = "examples"
    _param: caffe_pb2.DenseImageDataParameter

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int, shard: Shard = Shard()) -> None:
        """``param``: a caffe.LayerParameter with dense_image_data_param.

        DataError if the list or its first pair cannot be used.
        """
        data = param.dense_image_data_param
        transform = param.transform_param
        warn_ignored(data, ("mean_file",), f"{self.place}:0")
        if transform.mirror or transform.crop_size:
            raise DataError(
                "transform_param.mirror and crop_size would not do the same to the label"
                " image; needed: mirror, crop_height and "
                "crop_width of dense_image_data_param"
            )
        if (data.crop_height > 0) != (data.crop_width > 0):
            raise DataError(
                "Current implementation requires crop_height and crop_width to be set at the"
                " same time."
            )
        super().__init__(data, Transformer(TransformSpec.from_proto(transform), phase), shard)
        self._crop = (int(data.crop_height), int(data.crop_width))
        self._divide = int(data.label_divide_factor)
        if self._divide != 1 and (
            self._crop[0] or not 0 < self._divide <= min(data.new_height, data.new_width)
        ):
            raise DataError(
                f"label_divide_factor is {self._divide}; needed: 1, or new_height and"
                " new_width at least as large, and no crop_height"
                " and crop_width"
            )
        self._random = Mt19937(0)  # until `seed` is called
        first = self._entries[0]
        shape = self._locate_errors(first, lambda: self._output_shape(self._pair(first)[0]))
        self.shapes = ((self._batch_size, *shape), (self._batch_size, *self._label_shape(shape)))
        log.info(f"{self.place}:102", f"output data size: {','.join(map(str, self.shapes[0]))}")

    def _list(self) -> Sequence[Pair]:
        return read_pairs(self._param.source)

    def _seed_thread(self, seed: int) -> None:
        self._random = Mt19937(seed + self.shard.rank)

    def _pair(self, pair: Pair) -> tuple[Pixels, Pixels]:
        """Image (H, W) or (H, W, 3) and labels (H, W), or smaller ones."""
        image = self._read(pair.name, self._param.is_color)
        labels = self._read(pair.label, False, smaller=self._divide, nearest=True)
        if self._divide == 1 and labels.shape != image.shape[:2]:
            found = size_text(labels.shape[:2])
            needed = size_text(image.shape[:2])
            raise DataError(
                f"its label image is {found}; Input and label image heights and widths must"
                f" match; needed: {needed}"
            )
        return image, labels

    def _output_shape(self, image: Pixels) -> tuple[int, int, int]:
        height, width = (crop or side for crop, side in zip(self._crop, image.shape))
        if height > image.shape[0] or width > image.shape[1]:
            raise DataError(
                f"crop_height x crop_width, {height}x{width}, is larger than the image,"
                f" {image.shape[0]}x{image.shape[1]}"
            )
        return self._transformer.output_shape(
            (1 if image.ndim == 2 else image.shape[2], height, width)
        )

    def _label_shape(self, shape: tuple[int, int, int]) -> tuple[int, int, int]:
        return 1, shape[1] // self._divide, shape[2] // self._divide

    def _draws(self, n: int) -> Draws:
        """The draws for ``n`` pairs, (n, 0 to 3): mirror, top, left, if they are needed."""
        each = int(self._param.mirror) + (2 if self._crop[0] else 0)
        return self._random.raw(n * each).reshape(n, each)

    def _make(self) -> Batch:
        pairs = self._take()
        rows = self._draws(len(pairs)).tolist()
        first = self._locate_errors(pairs[0], lambda: self._pair(pairs[0]))
        shape = self._locate_errors(pairs[0], lambda: self._output_shape(first[0]))
        out = self.pool.take((len(pairs), *shape))
        labels = self.pool.take((len(pairs), *self._label_shape(shape)))

        def fill(i: int) -> None:
            image, marks = first if i == 0 else self._pair(pairs[i])
            check_size_in_batch(self._output_shape(image), shape)
            image, marks = (self._changed(pixels, rows[i], shape) for pixels in (image, marks))
            self._transformer.apply(opencv.channels_first(image), out[i], None)
            labels[i, 0] = marks

        self._workers.run(
            lambda i: self._locate_errors(pairs[i], lambda: fill(i)), len(pairs), parallel=True
        )
        return torch.from_numpy(out), torch.from_numpy(labels)

    def _changed(self, pixels: Pixels, draws: Sequence[int], shape: tuple[int, int, int]) -> Pixels:
        """The pixels mirrored, then cropped, by a row of `_draws`."""
        _, height, width = shape
        if self._param.mirror and draws[0] % 2:
            pixels = np.ascontiguousarray(pixels[:, ::-1])
        if not self._crop[0]:
            return pixels
        top = draws[-2] % (pixels.shape[0] - height + 1)
        left = draws[-1] % (pixels.shape[1] - width + 1)
        return pixels[top : top + height, left : left + width]

    def skip(self, batches: int) -> None:
        for _ in range(batches):
            self._order.take(self._batch_size)
            self._draws(self._batch_size)

    def state(self) -> State:
        return {**super().state(), "places": self._random.state()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._random.restore(state["places"])
