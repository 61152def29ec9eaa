"""Shapes for nets whose data are not here: what the user says, or what the prototxt tells."""

# N batch, C channels, H W image

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from caffepy.data.objects import ROW, YOLO_ROW, YOLO_ROWS
from caffepy.data.seg_transformer import crop_of
from caffepy.data.shard import Shard
from caffepy.data.source import Source
from caffepy.errors import DataError, UsageError, nearest
from caffepy.layers.core.base import Layer, Shape
from caffepy.proto import caffe_pb2
from caffepy.proto.c3d_videos import c3ds_videos

SIZED = {
    "ImageData": "image_data_param",
    "ParallelData": "parallel_data_param",
    "ParallelInMemData": "parallel_inmem_data_param",
}
BATCHES = {"Data": "data_param", "WindowData": "window_data_param", **SIZED}
"""Data layers with images and labels, and the field that says their batch size.

In those of ``SIZED`` it also says the size of the images.
"""
COLORS = 3


@dataclass(frozen=True)
class Unopened:
    """In place of a data source: the shapes of its tops and no batch."""

    shapes: tuple[Shape, ...]

    def seed(self, stream: object) -> None:
        """There is no stream to draw from."""

    def close(self) -> None:
        """There is nothing to close."""


def unopened(shapes: tuple[Shape, ...]) -> Source:
    """In place of a source, for a net that is built and never run."""
    return cast(Source, Unopened(shapes))


@dataclass
class Shapes:
    """Opens data layers.

    ``given``: shapes by top. ``notes``: what was assumed, a sentence for each layer.
    A layer whose tops are all given opens nothing. Else its data are opened; where there are none,
    the prototxt tells the shapes.
    """

    given: Mapping[str, Shape] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def open(self, layer: Layer) -> Source:
        """The source of a data layer, or what stands for it.  DataError where no shape is known."""
        tops = list(layer.param.top)
        if all(top in self.given for top in tops):
            return unopened(tuple(self.given[top] for top in tops))
        try:
            source: Source = layer.open(Shard())
        except DataError as error:
            shapes = assumed_shapes(layer.param)
            if shapes is None:
                raise DataError(f"{error}{shape_advice(tops)}") from error
            shapes = tuple(self.given.get(top, shape) for top, shape in zip(tops, shapes))
            told = ", ".join(f"{top} {dims_text(shape)}" for top, shape in zip(tops, shapes))
            self.notes.append(f"layer '{layer.param.name}' has no data here; assumed: {told} (-shape {tops[0]}=N,C,H,W says otherwise)")
            return unopened(shapes)
        if passed := [top for top in tops if top in self.given]:
            rest = " ".join(f"-shape {top}=N,..." for top in tops if top not in self.given)
            self.notes.append(
                f"-shape {', '.join(passed)} is passed over: layer '{layer.param.name}' has its data here; needed: also {rest}"
            )
        return source

    def stand_in(self, net: caffe_pb2.NetParameter) -> None:
        """Make an Input of each Python layer of a NetParameter whose tops are all given.

        Its module need not be here.
        """
        for layer in net.layer:
            if layer.type == "Python" and layer.top and all(top in self.given for top in layer.top):
                layer.type = "Input"
                layer.ClearField("python_param")
                del layer.bottom[:]
                for top in layer.top:
                    layer.input_param.shape.add(dim=self.given[top])
                what = "is taken for an Input, as the shapes of its tops are given"
                self.notes.append(f"layer '{layer.name}' (Python) {what}")

    def check(self, names: Sequence[str]) -> None:
        """UsageError for a given shape of a blob that is none of ``names``."""
        for name in self.given:
            if name not in names:
                what = "no input and no data layer has a blob of this name"
                raise UsageError(f"-shape {name}=...: {what}{nearest(name, names)}")


def python_advice(error: Exception, net: caffe_pb2.NetParameter) -> str:
    """For the end of an error of a Python layer of ``net``: how to do without the layer."""
    for layer in net.layer:
        if layer.type == "Python" and layer.top and f"layer '{layer.name}' (Python)" in str(error):
            return shape_advice(layer.top)
    return ""


def shape_advice(tops: Iterable[str]) -> str:
    """For the end of an error of a layer: that the shapes of its tops could be given."""
    flags = " ".join(f"-shape {top}=N,..." for top in tops)
    return f"; or say what shapes its tops have: {flags}"


def assumed_shapes(param: caffe_pb2.LayerParameter) -> tuple[Shape, ...] | None:
    """Shapes of the tops of a layer that reads images; None where its fields do not tell.

    Its own fields and transform_param do.
    """
    if param.type in FORKS:
        return FORKS[param.type](param)
    if param.type not in BATCHES:
        return None
    own = getattr(param, BATCHES[param.type])
    transform = param.transform_param
    height = width = int(transform.crop_size or getattr(own, "crop_size", 0))
    if not transform.crop_size and transform.crop_h and transform.crop_w:
        height, width = int(transform.crop_h), int(transform.crop_w)
    elif not transform.crop_size and param.type in SIZED:
        height, width = int(own.new_height), int(own.new_width)
    if not (height and width and own.batch_size):
        return None
    channels = 1 if param.type in SIZED and not own.is_color else COLORS
    batch = int(own.batch_size)
    return ((batch, channels, height, width), (batch,))[: len(param.top)]


def _annotated(param: caffe_pb2.LayerParameter) -> tuple[Shape, ...] | None:
    """Images, and labels of one box."""
    batch = int(param.data_param.batch_size)
    transform = param.transform_param
    height, width = _sides(transform)
    channels = 1 if transform.force_gray else COLORS
    is_yolo = param.annotated_data_param.yolo_data_type
    labels = (batch, 1, YOLO_ROWS, YOLO_ROW) if is_yolo else (1, 1, 1, ROW)
    shapes = ((batch, channels, height, width), labels)
    return shapes[: len(param.top)] if batch and height and width else None


def _sides(transform: caffe_pb2.TransformationParameter) -> tuple[int, int]:
    """Height and width of images that are cropped or resized; 0 where no field tells."""
    resized = next(iter(transform.resize_param), caffe_pb2.ResizeParameter())
    height = transform.crop_size or transform.crop_h or resized.height
    return int(height), int(transform.crop_size or transform.crop_w or resized.width)


def _dense(param: caffe_pb2.LayerParameter) -> tuple[Shape, ...] | None:
    """Images and label images."""
    own = param.dense_image_data_param
    batch = int(own.batch_size)
    height = int(own.crop_height or own.new_height)
    width = int(own.crop_width or own.new_width)
    channels = COLORS if own.is_color else 1
    divide = int(own.label_divide_factor) or 1
    shapes = ((batch, channels, height, width), (batch, 1, height // divide, width // divide))
    return shapes if batch and height and width else None


def _segmented(param: caffe_pb2.LayerParameter) -> tuple[Shape, ...] | None:
    """Images, label images, and the sides of the images."""
    own = param.image_data_param
    sides = crop_of(param.transform_param) or (int(own.new_height), int(own.new_width))
    batch = int(own.batch_size)
    channels = COLORS if own.is_color else 1
    shapes = ((batch, channels, *sides), (batch, 1, *sides), (batch, 1, 1, 2))
    return shapes[: len(param.top)] if batch and all(sides) else None


def _videos(param: caffe_pb2.LayerParameter) -> tuple[Shape, ...] | None:
    """All frames of a video as channels, and labels.

    In C3D's form a clip of frames, and a label.
    """
    if c3ds_videos(param):
        return _clips(param.image_data_param, len(param.top))
    own = param.video_data_param
    if not own.HasField("source") and param.HasField("data_param"):
        return _frames(param)
    crop = int(param.transform_param.crop_size)
    batch = int(own.batch_size)
    height = crop or int(own.new_height)
    width = crop or int(own.new_width)
    channels = int(own.num_segments * own.new_length) * (COLORS if own.modality == own.RGB else 2)
    shapes = ((batch, channels, height, width), (batch, 1, 1, 1))
    return shapes if batch and height and width else None


def _frames(param: caffe_pb2.LayerParameter) -> tuple[Shape, ...] | None:
    """Single frames, and labels; SSD's form."""
    batch = int(param.data_param.batch_size)
    height, width = _sides(param.transform_param)
    shapes = ((batch, COLORS, height, width), (batch,))[: len(param.top)]
    return shapes if batch and height and width else None


def _clips(own: caffe_pb2.ImageDataParameter, tops: int) -> tuple[Shape, ...] | None:
    batch = int(own.batch_size)
    sides = (int(own.crop_size or own.new_height), int(own.crop_size or own.new_width))
    shapes = ((batch, COLORS, int(own.new_length), *sides), (batch, 1, 1, 1, 1))[:tops]
    return shapes if batch and all(sides) else None


FORKS = {
    "AnnotatedData": _annotated,
    "DenseImageData": _dense,
    "ImageLabelmapData": _segmented,
    "ImageSegData": _segmented,
    "VideoData": _videos,
}


def parse_shape(text: str) -> tuple[str, Shape]:
    """``data=1,3,227,227`` → its name and shape.  UsageError for other text."""
    name, _, dims = text.rpartition("=")
    parts = dims.replace("x", ",").split(",")
    if not name or not all(part.strip().isdecimal() for part in parts):
        needed = "the name of a blob and its shape, such as data=1,3,227,227"
        raise UsageError(f"-shape {text}: needed: {needed}")
    return name, tuple(int(part) for part in parts)


def dims_text(shape: Shape) -> str:
    """A shape for people: ``1 x 3 x 227 x 227``."""
    return " x ".join(map(str, shape)) or "scalar"
