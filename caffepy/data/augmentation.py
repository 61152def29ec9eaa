"""What SSD does to an image with boxes before it crops, mirrors and scales it.

All random numbers of a batch are drawn first, image by image, in SSD's order. The steps that follow
from them draw nothing more and may run in threads.
"""

# H W image

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from caffepy import log
from caffepy.data import opencv
from caffepy.data.batch_sampler import BatchSamplers, JitterSampler
from caffepy.data.distortion import Distortion, Expansion, placed, window_of
from caffepy.data.image_file import decode_datum
from caffepy.data.noise import Noise
from caffepy.data.objects import Box, Objects, clipped
from caffepy.data.opencv import Pixels, Values, Window
from caffepy.data.random import Mt19937
from caffepy.data.resize_policies import ResizePolicies
from caffepy.data.resize_policy import ResizePolicy, Size, Step
from caffepy.data.size_text import size_text
from caffepy.data.transformer import TransformSpec
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

SPACE = 32.0
"""SSD fills the canvas of raw images with this value, the code of the space character."""


@dataclass(frozen=True)
class AnnotatedImage:
    """One record.

    ``image``: (H, W) or (H, W, C). ``encoded``: whether it came as an image file. ``label``: that
    of a record without boxes.
    """

    image: Pixels
    objects: Objects
    encoded: bool
    label: int | None


@dataclass(frozen=True)
class Plan:
    """What is done to one image.

    ``objects``: relative to the image before resizing, whose size was ``size``.
    """

    steps: list[Step]
    objects: Objects
    size: Size


class Augmentation:
    """Distortion, expansion, random crop, resizing, noise: those that are given, in this order."""

    def __init__(self, param: caffe_pb2.LayerParameter, spec: TransformSpec) -> None:
        """``param``: a caffe.LayerParameter of AnnotatedData.

        DataError for fields that cannot be.
        """
        transform = param.transform_param
        self._distortion = (
            Distortion(transform.distort_param) if transform.HasField("distort_param") else None
        )
        self._expansion = (
            Expansion(transform.expand_param) if transform.HasField("expand_param") else None
        )
        own = param.annotated_data_param
        self.policies = ResizePolicies(transform.resize_param)
        self._samplers: BatchSamplers | JitterSampler = BatchSamplers(own.batch_sampler)
        if own.yolo_data_type and not own.batch_sampler:
            self._samplers = JitterSampler(
                own.yolo_data_jitter, in_shape=lambda: self.resize is not None and self.resize.pads
            )
        self._noise = Noise(transform.noise_param) if transform.HasField("noise_param") else None
        self.emit = transform.emit_constraint if transform.HasField("emit_constraint") else None
        if self._expansion and spec.mean_file:
            raise DataError(
                "expand_param makes images of many sizes, mean_file is of one; needed: mean_value"
            )
        self._fill = spec.mean_values or (0.0,)
        self._again = partial(
            _through_jpeg, force_color=spec.force_color, force_gray=spec.force_gray
        )
        self._warned = False

    @property
    def resize(self) -> ResizePolicy | None:
        """How images of this batch are resized."""
        return self.policies.now

    def output_size(self, size: Size) -> Size:
        """The size to which an image of (H, W) is brought."""
        return self.resize.output_size(size) if self.resize else size

    def draw(self, random: Mt19937, item: AnnotatedImage) -> Plan:
        """The plan for one image.

        After each step an image that came encoded goes through a JPEG again, as in SSD.
        """
        size = item.image.shape[:2]
        objects = item.objects
        steps: list[Step] = []
        again: list[Step] = [self._again] if item.encoded else []
        if self._distortion and item.encoded:
            steps += self._distortion.draw(random) + again
        canvas = self._expansion.draw(random, size) if self._expansion else None
        if canvas:
            steps += [
                partial(placed, canvas=canvas, fill=self._fill if item.encoded else (SPACE,)),
                *again,
            ]
            objects = objects.seen_through(window_of(canvas, size), self.emit)
            size = canvas.size
        crop = self._samplers.pick(random, [tuple(box) for box in objects.boxes.tolist()])
        if crop:
            window = _pixels(crop, size)
            steps += [partial(_cut, window=window), *again]
            objects = objects.seen_through(clipped(crop), self.emit)
            size = window[2:]
        if item.encoded:
            steps += [self.resize.draw(random)] if self.resize else []
            steps += self._noise.draw(random, self.output_size(size)) if self._noise else []
        else:
            self._check_raw(size)
        return Plan(steps, objects, size)

    def _check_raw(self, size: Size) -> None:
        """DataError or an error line: SSD changes colours and sizes of encoded images only."""
        if self.output_size(size) != size:
            found = size_text(size)
            needed = size_text(self.output_size(size))
            raise DataError(
                f"is raw and {found} here, resize_param asks for {needed}; needed: encoded"
                " records, which can be resized"
            )
        if (self._distortion or self._noise) and not self._warned:
            self._warned = True
            log.error(
                "data_transformer.cpp:637",
                "distort_param and noise_param act on encoded records only; these are raw",
            )

    def state(self) -> dict[str, list[int] | None]:
        """The state from which the order of channels is drawn, and the sizes, JSON-able."""
        order = self._distortion.shuffle.state() if self._distortion else None
        sizes = self.policies.state()
        return {"channels": order, **({} if sizes is None else {"sizes": sizes})}

    def restore(self, state: Mapping[str, list[int] | None]) -> None:
        """Continue from `state`."""
        order = state["channels"]
        if self._distortion and order is not None:
            self._distortion.shuffle.restore(order)
        self.policies.restore(state.get("sizes"))


def pixels_of(values: Values) -> Values:
    """A view of (C, H, W) in OpenCV's layout: (H, W) or (H, W, C)."""
    return cast("Values", values[0] if len(values) == 1 else values.transpose(1, 2, 0))


def _through_jpeg(image: Pixels, *, force_color: bool, force_gray: bool) -> Pixels:
    return pixels_of(
        decode_datum(
            opencv.encode(image, "jpg") or b"", force_color=force_color, force_gray=force_gray
        )
    )


def _pixels(box: Box, size: Size) -> Window:
    """A crop in pixels of an image of (H, W), at least 1 x 1."""
    scale = np.array([size[1], size[0]] * 2, np.float32)
    left, top, right, bottom = np.array(clipped(box), np.float32) * scale
    at = min(int(top), size[0] - 1), min(int(left), size[1] - 1)
    return (*at, max(1, int(bottom - top)), max(1, int(right - left)))


def _cut(image: Pixels, *, window: Window) -> Pixels:
    top, left, height, width = window
    return np.ascontiguousarray(image[top : top + height, left : left + width])
