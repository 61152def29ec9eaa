"""Source of the AnnotatedData layer: images with boxes, from a database of AnnotatedDatums."""

# N batch, C channels, H W image, h w output

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

import numpy as np
from google.protobuf.message import DecodeError

from caffepy import log
from caffepy.data import opencv
from caffepy.data.augmentation import AnnotatedImage, Augmentation, Plan, pixels_of
from caffepy.data.datum import Buffer, Datum
from caffepy.data.image_file import decode_datum
from caffepy.data.label_map import read_label_map
from caffepy.data.objects import ROW, YOLO_ROW, YOLO_ROWS, Box, Objects
from caffepy.data.opencv import Pixels
from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.data.source import Batch, Source, State, size_error
from caffepy.data.sources.record_source import RecordSource
from caffepy.data.transformer import SSD_FIELDS, Floats, RandomStream, TransformSpec, rows_of
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

BBOX = caffe_pb2.AnnotatedDatum.AnnotationType.Value("BBOX")


class AnnotatedDataSource(RecordSource):
    """Batches (N, C, h, w) and labels (1, 1, boxes of the batch, 8).

    If records have no type of annotation, labels are (N, 1, 1, 1). A row of labels: item, class,
    instance, xmin, ymin, xmax, ymax, difficult. A batch without boxes has one row of -1.

    With yolo_data_type 1 labels are (N, 1, 300, 5): class (from 0), x and y of the centre, width,
    height; then rows of 0. Without train_diffcult difficult objects are not in it.
    """

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int, shard: Shard = Shard()) -> None:
        """``param``: a caffe.LayerParameter with annotated_data_param.

        DataError if the database or its first record cannot be used.
        """
        super().__init__(
            param, phase, shard, TransformSpec.from_proto(param.transform_param, more=SSD_FIELDS)
        )
        own = param.annotated_data_param
        self._augmentation = Augmentation(param, self._transformer.spec)
        if not self._augmentation.policies.one_size and self._batch_size != 1:
            raise DataError(
                f"Only support batch size of 1 for FIT_SMALL_SIZE; found: {self._batch_size}"
            )
        if own.yolo_data_type not in (0, 1):
            raise DataError(
                f"annotated_data_param.yolo_data_type is {own.yolo_data_type}; needed: 0 or 1"
            )
        self._yolo = own.yolo_data_type == 1
        self._difficult = bool(own.train_diffcult)
        self._random = Mt19937(0)  # until `seed` is called
        self._classes = _classes_of(own.label_map_file) if own.label_map_file else None
        self._type: int | None = own.anno_type if own.HasField("anno_type") else None
        self._any_type = self._type is not None
        if self._any_type:
            log.warning("annotated_data_layer.cpp:74", "type stored in AnnotatedDatum is shadowed.")
        first = self._first(self._read_first)
        shape = self._first(lambda _: self._shape(first, first.image.shape[:2]))
        labels = (1, 1, max(1, len(first.objects)), ROW)
        if self._type is None:
            labels = (self._batch_size, 1, 1, 1)
        elif self._yolo:
            labels = (self._batch_size, 1, YOLO_ROWS, YOLO_ROW)
        top = (self._batch_size, *shape)
        self.shapes = (top, labels) if self._labels else (top,)
        log.info("annotated_data_layer.cpp:60", f"output data size: {','.join(map(str, top))}")

    def seed(self, stream: RandomStream) -> None:
        """Draw Caffe's seeds in their order.

        These are the reader's (here it shuffles), two for the transformer, and that of the thread
        which draws everything else.
        """
        self._seed_order(stream)
        self._seed_transformer(stream)
        self._random = Mt19937(int(stream.raw(1)[0]) + self.shard.rank)

    def _read_first(self, record: Buffer) -> AnnotatedImage:
        parsed = _parsed(record)
        if self._type is None and parsed.HasField("type"):
            self._type = parsed.type
        if self._type not in (None, BBOX):
            raise DataError(f"Unknown annotation type: {self._type}; needed: BBOX")
        return self._read(record)

    def _read(self, record: Buffer) -> AnnotatedImage:
        parsed = _parsed(record)
        if self._labels and self._type is not None:
            if not parsed.HasField("type"):
                raise DataError(
                    "Some datum misses AnnotationType: it has no type, the first record has one"
                )
            if parsed.type != self._type and not self._any_type:
                raise DataError(
                    f"Different AnnotationType: {parsed.type}; needed: {self._type}, as of the"
                    " first record"
                )
        elif self._labels and not parsed.datum.HasField("label"):
            raise DataError(
                "Cannot find any label: it has neither a type of annotation nor a label"
            )
        objects = Objects.from_proto(parsed.annotation_group)
        if self._classes is not None and (unknown := set(objects.labels.tolist()) - self._classes):
            log.warning(
                "annotated_data_layer.cpp:0",
                f"an object of class {min(unknown)} is there, which label_map_file does not know",
            )
            self._classes |= unknown
        label = parsed.datum.label if parsed.datum.HasField("label") else None
        return AnnotatedImage(self._pixels(parsed.datum), objects, parsed.datum.encoded, label)

    def _pixels(self, datum: caffe_pb2.Datum) -> Pixels:
        if datum.encoded:
            spec = self._transformer.spec
            return pixels_of(
                decode_datum(datum.data, force_color=spec.force_color, force_gray=spec.force_gray)
            )
        floats = np.array(datum.float_data, np.float32) if len(datum.float_data) else None
        raw = Datum(
            datum.channels, datum.height, datum.width, memoryview(datum.data), floats=floats
        )
        # or floats, which only the transformer reads
        return cast("Pixels", pixels_of(raw.image()))

    def _shape(self, item: AnnotatedImage, size: tuple[int, ...]) -> tuple[int, int, int]:
        """(C, h, w) of an image that has (H, W) before it is resized."""
        channels = 1 if item.image.ndim == 2 else item.image.shape[2]
        return self._transformer.output_shape(
            (channels, *self._augmentation.output_size((size[0], size[1])))
        )

    def _make(self) -> Batch:
        records = self._take()
        self._augmentation.policies.begin_batch(self._random)
        rows = rows_of(self._transformer.draws(len(records)), len(records))
        items: dict[int, AnnotatedImage] = {}

        def read(i: int) -> None:
            items[i] = self._locate_errors(i, lambda: self._read(records[i]))

        self._workers.run(read, len(records), parallel=True)
        plans = [self._plan(i, items[i]) for i in range(len(records))]
        out = self.pool.take(
            (len(records), *self._locate_errors(0, lambda: self._shape(items[0], plans[0].size)))
        )
        objects: dict[int, Objects] = {}

        def work(i: int) -> None:
            objects[i] = self._locate_errors(
                i, lambda: self._transform(items[i], plans[i], out[i], rows[i])
            )

        self._workers.run(work, len(records), parallel=True)
        return self._as_batch(out, self._label_blob(items, objects))

    def _plan(self, i: int, item: AnnotatedImage) -> Plan:
        return self._locate_errors(i, lambda: self._augmentation.draw(self._random, item))

    def _transform(
        self, item: AnnotatedImage, plan: Plan, out: Floats, draws: Sequence[int] | None
    ) -> Objects:
        """Fill ``out`` (C, h, w); returns the objects that are visible in it."""
        import cv2

        image = item.image
        try:
            for step in plan.steps:
                image = step(image)
        except cv2.error as error:
            raise DataError(
                f"OpenCV cannot change the image as transform_param asks: {error.err}"
            ) from error
        values = opencv.channels_first(image)
        if self._transformer.output_shape(values.shape) != out.shape:
            raise size_error(values.shape, out.shape, "a resize_param, records of one size")
        self._transformer.apply(values, out, draws)
        return self._seen(plan, values.shape, out.shape, draws)

    def _seen(
        self, plan: Plan, shape: tuple[int, ...], out: tuple[int, ...], draws: Sequence[int] | None
    ) -> Objects:
        mirror, top, left = self._transformer.place(shape, out, draws)
        _, height, width = shape
        resize = self._augmentation.resize
        edges = np.array([left, top, left + out[2], top + out[1]], np.float32) / np.array(
            [width, height] * 2, np.float32
        )
        window: Box = tuple(edges.tolist())
        objects = (
            plan.objects.with_boxes(resize.move(plan.objects.boxes, plan.size))
            if resize
            else plan.objects
        )
        objects = objects.seen_through(window, self._augmentation.emit)
        if mirror:
            objects = objects.mirrored()
        return (
            objects.with_boxes(resize.scale(objects.boxes, plan.size, window))
            if resize
            else objects
        )

    def _label_blob(self, items: dict[int, AnnotatedImage], objects: dict[int, Objects]) -> Floats:
        if self._type is None:
            return np.array([items[i].label for i in range(len(items))], np.float32).reshape(
                -1, 1, 1, 1
            )
        if self._yolo:
            yolo_rows = partial(Objects.yolo_rows, difficult=self._difficult)
            return np.stack(
                [
                    self._locate_errors(i, partial(yolo_rows, objects[i]))
                    for i in range(len(objects))
                ]
            )[:, None]
        rows = np.concatenate([objects[i].rows(i) for i in range(len(objects))])
        return (rows if len(rows) else np.full((1, ROW), -1, np.float32)).reshape(1, 1, -1, ROW)

    def skip(self, batches: int) -> None:
        Source.skip(self, batches)  # the number of draws depends on the images

    def state(self) -> State:
        return {
            **super().state(),
            "sampling": self._random.state(),
            **self._augmentation.state(),
        }

    def restore(self, state: State) -> None:
        super().restore(state)
        self._random.restore(state["sampling"])
        self._augmentation.restore(state)


def _classes_of(path: str) -> set[int] | None:
    """The classes of a label map; None, after a warning, if it cannot be read.

    SSD accepts the name of any file, as it never opens it.
    """
    try:
        return set(read_label_map(path).values())
    except DataError as error:
        log.warning("annotated_data_layer.cpp:0", f"{error}; objects are not held against it")
        return None


def _parsed(record: Buffer) -> caffe_pb2.AnnotatedDatum:
    try:
        parsed = caffe_pb2.AnnotatedDatum.FromString(bytes(record))
    except DecodeError as error:
        raise DataError(
            "is no AnnotatedDatum: it is damaged, or of another kind (plain Datums are for a"
            " Data layer)"
        ) from error
    if not parsed.HasField("datum"):
        raise DataError("is no AnnotatedDatum: it has no datum (plain Datums are for a Data layer)")
    return parsed
