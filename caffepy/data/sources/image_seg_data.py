"""Source of the ImageSegData layer: images and labels of their pixels, named in a list."""

# N batch, C channels, H W image, h w output (the crop, or the image's own size)

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from caffepy import log
from caffepy.data import opencv
from caffepy.data.list_files import Pair, atoi, read_lines
from caffepy.data.opencv import Pixels
from caffepy.data.seg_transformer import LabelmapTransformer, SegTransformer
from caffepy.data.shard import Shard
from caffepy.data.size_text import size_text
from caffepy.data.source import MOVED, Batch, warn_ignored
from caffepy.data.sources.list_source import ListSource, check_size_in_batch
from caffepy.data.transformer import rows_of
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2


class ImageSegDataSource(ListSource[Pair]):
    """Batches (N, C, h, w) and labels (N, 1, h, w).

    A third top has each image's height and width, at most h and w, (N, 1, 1, 2). Labels are resized
    to the nearest pixel, as in PSPNet; DeepLab interpolated them, to classes that are in no label
    image.
    """

    place = "image_seg_data_layer.cpp"
    transformer: type[SegTransformer | LabelmapTransformer] = SegTransformer
    _param: caffe_pb2.ImageDataParameter

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int, shard: Shard = Shard()) -> None:
        """``param``: a caffe.LayerParameter with image_data_param.

        DataError if the list or its first image cannot be used.
        """
        data = param.image_data_param
        warn_ignored(data, MOVED, f"{self.place}:0")
        self._both = self.transformer(param.transform_param, phase)
        super().__init__(data, self._both, shard)
        self._tops = len(param.top)
        self._ignore = int(data.ignore_label)
        if not 0 <= self._ignore <= 255:
            self._ignore = min(max(self._ignore, 0), 255)
            log.warning(
                f"{self.place}:0",
                f"ignore_label is {data.ignore_label}; labels are bytes: {self._ignore} is"
                " used, as in Caffe",
            )
        first = self._entries[0]
        self.shapes = self._shapes(
            self._locate_errors(first, lambda: self._output_shape(self._pair(first)[0])),
            self._batch_size,
        )[: self._tops]
        log.info(f"{self.place}:129", f"output data size: {','.join(map(str, self.shapes[0]))}")

    def _list(self) -> Sequence[Pair]:
        return read_lines(
            self._param.source, labelled=self._param.label_type != caffe_pb2.ImageDataParameter.NONE
        )

    def _shapes(self, shape: tuple[int, int, int], n: int) -> tuple[tuple[int, ...], ...]:
        return (n, *shape), (n, 1, *shape[1:]), (n, 1, 1, 2)

    def _output_shape(self, image: Pixels) -> tuple[int, int, int]:
        return self._both.output_shape(opencv.channels_first(image).shape)

    def _pair(self, pair: Pair) -> tuple[Pixels, Pixels]:
        """Image (H, W) or (H, W, 3) and labels (H, W)."""
        image = self._read(pair.name, self._param.is_color)
        size = image.shape[:2]
        if self._param.label_type == caffe_pb2.ImageDataParameter.NONE:
            return image, np.full(size, self._ignore, np.uint8)
        if self._param.label_type == caffe_pb2.ImageDataParameter.IMAGE:
            return image, np.full(size, _label(pair.label), np.uint8)
        if not pair.label:
            raise DataError(
                "its line names no label image; needed: an image, a space and its label image"
                " (or label_type: NONE)"
            )
        return image, self._labels(pair, image, nearest=True)

    def _labels(self, pair: Pair, image: Pixels, *, nearest: bool) -> Pixels:
        """The label image (H, W) of an image."""
        labels = self._read(pair.label, False, nearest=nearest)
        if labels.shape != image.shape[:2]:
            found = size_text(labels.shape[:2])
            needed = size_text(image.shape[:2])
            raise DataError(f"its label image is {found}; needed: {needed}, the size of the image")
        return labels

    def _make(self) -> Batch:
        pairs = self._take()
        rows = rows_of(self._both.draws(len(pairs)), len(pairs))
        first = self._locate_errors(pairs[0], lambda: self._pair(pairs[0]))
        shape = self._locate_errors(pairs[0], lambda: self._output_shape(first[0]))
        out, labels, sides = (self.pool.take(sizes) for sizes in self._shapes(shape, len(pairs)))

        def fill(i: int) -> None:
            image, marks = first if i == 0 else self._pair(pairs[i])
            check_size_in_batch(self._output_shape(image), shape)
            self._both.apply_both(image, marks, out[i], labels[i, 0], rows[i], self._ignore)
            sides[i, 0, 0] = np.minimum(image.shape[:2], shape[1:])

        self._workers.run(
            lambda i: self._locate_errors(pairs[i], lambda: fill(i)), len(pairs), parallel=True
        )
        return tuple(map(torch.from_numpy, (out, labels, sides)))[: self._tops]

    def skip(self, batches: int) -> None:
        for _ in range(batches):
            self._order.take(self._batch_size)
            self._both.draws(self._batch_size)


def _label(text: bytes) -> int:
    """The label of a whole image.  DataError unless it is a byte."""
    if text.isdigit() and (label := atoi(text)) <= 255:
        return label
    raise DataError(
        f"its label is '{text.decode(errors='replace')}'; needed: an integer from 0 to 255"
        " (label_type: PIXEL"
        " for a label image, NONE for none)"
    )
