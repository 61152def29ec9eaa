"""Source of the ImageData layer: image files named in a list."""

# N batch, C channels, H W image, h w output

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caffepy import log
from caffepy.data.image_file import Bottom
from caffepy.data.list_files import Entry, read_images
from caffepy.data.opencv import channels_first
from caffepy.data.resize_policy import fixed_resize
from caffepy.data.shard import Shard
from caffepy.data.source import MOVED, Batch, OtherTop, Shape, warn_ignored
from caffepy.data.sources.list_source import ListSource, check_size_in_batch
from caffepy.data.transformer import IMAGE_FIELDS, Transformer, TransformSpec, Values, rows_of
from caffepy.proto import caffe_pb2


class ImageDataSource(ListSource[Entry]):
    """Batches (N, C, h, w) and labels (N,), in the list's order or shuffled for each pass."""

    place = "image_data_layer.cpp"
    _param: caffe_pb2.ImageDataParameter

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int, shard: Shard = Shard()) -> None:
        """``param``: a caffe.LayerParameter with image_data_param.

        DataError if the list or its first image cannot be read.
        """
        data = param.image_data_param
        warn_ignored(data, MOVED, f"{self.place}:0")
        spec = TransformSpec.from_proto(param.transform_param, more=IMAGE_FIELDS)
        super().__init__(data, Transformer(spec, phase), shard)
        self._resize = fixed_resize(param.transform_param)
        first = self._entries[0]
        self._top: Shape = self._locate_errors(
            first, lambda: self._transformer.output_shape(self._image(first).shape)
        )
        top = (self._batch_size, *self._top)
        self.shapes = (top, (self._batch_size,))[: len(param.top)]
        log.info(f"{self.place}:83", f"output data size: {','.join(map(str, self.shapes[0]))}")

    def _list(self) -> Sequence[Entry]:
        return read_images(self._param.source, where=f"{self.place}:41")

    def _image(self, entry: Entry, bottom: Bottom | None = None) -> Values:
        """Image (C, H, W); unless it is resized, rows from ``bottom`` on may be undefined."""
        bottom = bottom if self._resize is None else None
        image = channels_first(self._read(entry.name, self._param.is_color, bottom=bottom))
        return image if self._resize is None else self._resize.apply(image)

    def _make(self) -> Batch:
        entries = self._take()
        rows = rows_of(self._transformer.draws(len(entries)), len(entries))
        return self._filled(entries, rows)

    def _filled(self, entries: Sequence[Entry], rows: Sequence[Sequence[int] | None]) -> Batch:
        """The batch of these entries; ``rows``: the draws of each."""
        labels = np.array([entry.label for entry in entries], np.float32)
        out = self.pool.take((len(entries), *self._top))

        def fill(i: int) -> None:
            draws = rows[i]
            image = self._image(entries[i], lambda shape: self._transformer.bottom(shape, draws))
            top = self._transformer.output_shape(image.shape)
            if i == 0 and top != self._top:
                raise OtherTop(image.shape, top)
            check_size_in_batch(top, self._top)
            self._transformer.apply(image, out[i], draws)

        try:
            self._workers.run(
                lambda i: self._locate_errors(entries[i], lambda: fill(i)),
                len(entries),
                parallel=True,
            )
        except OtherTop as other:
            self._top = other.top
            return self._filled(entries, rows)
        return self._as_batch(out, labels)

    def skip(self, batches: int) -> None:
        for _ in range(batches):
            self._order.take(self._batch_size)
            self._transformer.draws(self._batch_size)
