"""Source of the Data layer: records of an LMDB or LevelDB."""

# N batch, C channels, H W image, h w output

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caffepy import log
from caffepy.data.datum import Buffer, Datum, Layout, decode, decode_stack
from caffepy.data.image_file import Bottom, decode_datum
from caffepy.data.resize_policy import fixed_resize
from caffepy.data.shard import Shard
from caffepy.data.source import Batch, OtherTop, Shape, size_error
from caffepy.data.sources.record_source import RecordSource
from caffepy.data.transformer import IMAGE_FIELDS, Draws, TransformSpec, Values, rows_of
from caffepy.proto import caffe_pb2

STACK_BYTES = 1 << 14
"""Raw records up to this size are joined and read together; larger ones are not copied."""
SHARED_BYTES = 1 << 16
"""Raw records of this size and more are transformed by several threads.

Of smaller ones Python's part is too large.
"""


class DataSource(RecordSource):
    """Batches (N, C, h, w) and labels (N,)."""

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int, shard: Shard = Shard()) -> None:
        """``param``: a caffe.LayerParameter with data_param.

        DataError if the database or its first record cannot be used.
        """
        super().__init__(
            param, phase, shard, TransformSpec.from_proto(param.transform_param, more=IMAGE_FIELDS)
        )
        self._layout: Layout | None = None
        self._resize = fixed_resize(param.transform_param)
        self._known = self._first(lambda record: self._image(decode(record)).shape)
        self._top: Shape = self._first(lambda _: self._transformer.output_shape(self._known))
        top = (self._batch_size, *self._top)
        self.shapes = (top, (self._batch_size,)) if self._labels else (top,)
        log.info("data_layer.cpp:45", f"output data size: {','.join(map(str, top))}")

    def _make(self) -> Batch:
        records = self._take()
        draws = self._transformer.draws(len(records))
        layout = self._locate_errors(0, lambda: self._layout_of(records[0]))
        together = (
            len(records[0]) <= STACK_BYTES
            and self._transformer.spec.resize is None
            and self._resize is None
        )
        stack = decode_stack(records, layout) if together else None
        if stack is None:
            return self._one_by_one(records, draws, layout)
        shape = self._locate_errors(
            0, lambda: self._transformer.output_shape(stack.images.shape[1:])
        )
        out = self.pool.take((len(records), *shape))
        self._transformer.apply_stack(stack.images, out, draws)
        return self._as_batch(out, stack.labels.astype(np.float32))

    def _one_by_one(
        self, records: Sequence[Buffer], draws: Draws | None, layout: Layout | None
    ) -> Batch:
        """Read records that differ, or are large, encoded, or of floats.

        ``layout``: that of the first, None unless it is raw.
        """
        labels = np.empty(len(records), np.float32)
        rows = rows_of(draws, len(records))
        out = self.pool.take((self._batch_size, *self._top))

        def work(i: int) -> None:
            image, labels[i] = self._opened(records[i], layout, rows[i])
            if image.shape != self._known:
                self._check(i, image.shape)
            self._transformer.apply(image, out[i], rows[i])

        # what takes long does not hold Python's lock
        takes_long = (
            layout is None
            or len(records[0]) >= SHARED_BYTES
            or self._transformer.spec.resize is not None
        )
        try:
            self._workers.run(
                lambda i: self._locate_errors(i, lambda: work(i)), len(records), parallel=takes_long
            )
        except OtherTop as other:
            self._known, self._top = other.image, other.top
            return self._one_by_one(records, draws, layout)
        return self._as_batch(out, labels)

    def _check(self, i: int, image: tuple[int, ...]) -> None:
        """OtherTop or DataError unless image ``i`` of a batch fits the top as it is."""
        top = self._transformer.output_shape(image)
        if top != self._top:
            if i == 0:
                raise OtherTop(image, top)
            raise size_error(image, self._top, "records of one size, a crop_size")

    def _layout_of(self, record: Buffer) -> Layout | None:
        """The layout of raw records like this one: usually that of the batch before."""
        if self._layout is None or self._layout.read(record) is None:
            self._layout = Layout.of(record)
        return self._layout

    def _opened(
        self, record: Buffer, layout: Layout | None, draws: Sequence[int] | None
    ) -> tuple[Values, int]:
        """Image (C, H, W), of which rows below its crop may be undefined, and label."""
        known = None if layout is None or self._resize is not None else layout.read(record)
        if known is not None:
            return known
        datum = decode(record)
        image = self._image(datum, lambda shape: self._transformer.bottom(shape, draws))
        return image, datum.label

    def _image(self, datum: Datum, bottom: Bottom | None = None) -> Values:
        """Image (C, H, W); unless it is resized, rows from ``bottom`` on may be undefined."""
        if not datum.encoded:
            raw = datum.image()
            if self._resize is not None:
                self._resize.check_raw(raw.shape)
            return raw
        spec = self._transformer.spec
        image = decode_datum(
            datum.data,
            force_color=spec.force_color,
            force_gray=spec.force_gray,
            bottom=bottom if self._resize is None else None,
        )
        return image if self._resize is None else self._resize.apply(image)
