"""``resize_param``: SSD's resizing of images to one size, and of their boxes."""

# N objects, H W image, h w output

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from caffepy import log
from caffepy.data.objects import Box, Floats
from caffepy.data.opencv import Pixels, channels_first
from caffepy.data.random import Mt19937
from caffepy.data.size_text import size_text
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

Size: TypeAlias = tuple[int, int]
"""Height, width."""
Step: TypeAlias = Callable[[Pixels], Pixels]
"""A change of an image (H, W) or (H, W, C), for which nothing has to be drawn any more."""

_NAMES = caffe_pb2.ResizeParameter
WARP, FIT_SMALL_SIZE, FIT_LARGE_SIZE_AND_PAD = (
    _NAMES.Resize_mode.Value(name) for name in ("WARP", "FIT_SMALL_SIZE", "FIT_LARGE_SIZE_AND_PAD")
)
INTERPOLATIONS = {"LINEAR": 1, "AREA": 3, "NEAREST": 0, "CUBIC": 2, "LANCZOS4": 4}
"""OpenCV's numbers."""
BORDERS = {"CONSTANT": 0, "MIRRORED": 4, "REPEAT_NEAREST": 1}
"""OpenCV's: constant, reflect 101, replicate."""


@dataclass(frozen=True)
class ResizePolicy:
    """``resize_param`` as plain values, without ``prob``."""

    mode: int
    height: int
    width: int
    interpolations: tuple[int, ...]
    border: int
    padding: tuple[float, ...]
    height_scale: float
    width_scale: float

    @classmethod
    def from_proto(cls, param: caffe_pb2.ResizeParameter) -> ResizePolicy:
        """``param``: a caffe.ResizeParameter.  DataError if a size is missing."""
        if not param.height or not param.width:
            raise DataError(
                f"resize_param: height is {param.height}, width {param.width}; needed: both, at"
                " least 1"
            )
        return cls(
            mode=param.resize_mode,
            height=int(param.height),
            width=int(param.width),
            interpolations=tuple(
                INTERPOLATIONS[_NAMES.Interp_mode.Name(mode)] for mode in param.interp_mode
            ),
            border=BORDERS[_NAMES.Pad_mode.Name(param.pad_mode)],
            padding=tuple(param.pad_value),
            height_scale=float(param.height_scale),
            width_scale=float(param.width_scale),
        )

    @property
    def one_size(self) -> bool:
        """Whether images of all sizes come out in the same one."""
        return self.mode != FIT_SMALL_SIZE

    @property
    def pads(self) -> bool:
        """Whether images keep their aspect ratio on a canvas of the given size."""
        return self.mode == FIT_LARGE_SIZE_AND_PAD

    def output_size(self, size: Size) -> Size:
        """(h, w) for an image of (H, W)."""
        return (self.height, self.width) if self.one_size else self._fitted(size, small=True)

    def draw(self, random: Mt19937) -> Step:
        """The change of one image.

        The interpolation is drawn, even if there is only one.
        """
        if not self.interpolations:
            return partial(self._apply, interpolation=INTERPOLATIONS["LINEAR"])
        alike = [1 / len(self.interpolations)] * len(self.interpolations)
        return partial(self._apply, interpolation=self.interpolations[weighted(random, alike)])

    def _fitted(self, size: Size, *, small: bool) -> Size:
        """The size that keeps the aspect ratio of an image of (H, W).

        Its shorter side (``small``) or its longer side is that of ``resize_param``.
        """
        aspect = np.float32(size[1]) / np.float32(size[0])
        new_aspect = np.float32(self.width) / np.float32(self.height)
        if (aspect < new_aspect) if small else (aspect > new_aspect):
            return math.floor(np.float32(self.width) / aspect), self.width
        return self.height, math.floor(aspect * np.float32(self.height))

    def _apply(self, image: Pixels, *, interpolation: int) -> Pixels:
        import cv2

        if self.mode in (WARP, FIT_SMALL_SIZE):
            return _resized(image, self.output_size(image.shape[:2]), interpolation)
        height, width = self._fitted(image.shape[:2], small=False)
        resized = _resized(image, (height, width), interpolation)
        above, left = (self.height - height) // 2, (self.width - width) // 2
        below, right = self.height - height - above, self.width - width - left
        return np.asarray(
            cv2.copyMakeBorder(
                resized, above, below, left, right, self.border, value=self._padding(image)
            )
        )

    def _padding(self, image: Pixels) -> tuple[float, ...]:
        channels = 1 if image.ndim == 2 else image.shape[2]
        if len(self.padding) not in (0, 1, channels):
            raise DataError(
                f"resize_param: Specify either 1 pad_value or as many as channels: {channels};"
                f" found: {len(self.padding)}"
            )
        return (
            self.padding * channels if len(self.padding) == 1 else self.padding or (0.0,) * channels
        )

    def move(self, boxes: Floats, size: Size) -> Floats:
        """Boxes (N, 4) of an image of (H, W), relative to the resized image.

        Source: ``UpdateBBoxByResizePolicy``. With FIT_LARGE_SIZE_AND_PAD its padding is not rounded
        to pixels.
        """
        old, new = (
            np.array([width, height], np.float32)
            for height, width in (size, (self.height, self.width))
        )
        padding = np.zeros(2, np.float32)
        two = np.float32(2)
        aspect, new_aspect = old[0] / old[1], new[0] / new[1]
        if self.mode == FIT_SMALL_SIZE:
            new = np.array(
                [new[0], new[0] / aspect] if aspect < new_aspect else [aspect * new[1], new[1]],
                np.float32,
            )
        elif self.mode != WARP and aspect > new_aspect:
            padding[1] = (new[1] - new[0] / aspect) / two
        elif self.mode != WARP:
            padding[0] = (new[0] - aspect * new[1]) / two
        pixels = boxes * np.tile(old, 2) * np.tile(new - two * padding, 2) / np.tile(old, 2)
        starts, ends = np.maximum(0, pixels[:, :2]), np.minimum(new, pixels[:, 2:])
        moved = (np.concatenate((starts, ends), 1) + np.tile(padding, 2)) / np.tile(new, 2)
        return np.asarray(moved, np.float32)

    def scale(self, boxes: Floats, size: Size, window: Box) -> Floats:
        """Boxes relative to height_scale and width_scale, if these are given with FIT_SMALL_SIZE.

        Other boxes are relative to the crop. ``size``: (H, W) before resizing; ``window``: the
        crop. DataError if the crop is smaller than that size. Source: ``ExtrapolateBBox``.
        """
        if self.one_size or not self.height_scale or not self.width_scale:
            return boxes
        height, width = (np.float32(side) for side in self._exact(size))
        crop = np.array(
            [width * np.float32(window[2] - window[0]), height * np.float32(window[3] - window[1])],
            np.float32,
        )
        scales = np.array([self.width_scale, self.height_scale], np.float32)
        if (crop < scales).any():
            found = f"{scales[1]:g}x{scales[0]:g}, the crop is {crop[1]:g}x{crop[0]:g}"
            raise DataError(
                f"resize_param: height_scale and width_scale are {found}; needed: no more"
            )
        moved = boxes * np.tile(crop, 2) / np.tile(scales, 2)
        return np.asarray(moved, np.float32)

    def _exact(self, size: Size) -> tuple[np.float32, np.float32]:
        """The size with FIT_SMALL_SIZE, not rounded to pixels."""
        aspect = np.float32(size[1]) / np.float32(size[0])
        if aspect < np.float32(self.width) / np.float32(self.height):
            return np.float32(self.width) / aspect, np.float32(self.width)
        return np.float32(self.height), np.float32(self.height) * aspect


class FixedResize:
    """``resize_param`` of images without boxes, where nothing is random.

    SSD has it for Data and ImageData. MobileNet-YOLO takes the first of several there.
    """

    def __init__(self, param: caffe_pb2.ResizeParameter) -> None:
        """``param``: a caffe.ResizeParameter.

        DataError if it names several interpolations: SSD draws one for each image.
        """
        self._policy = ResizePolicy.from_proto(param)
        if len(set(self._policy.interpolations)) > 1:
            raise DataError(
                f"resize_param: interp_mode is given {len(param.interp_mode)} times; needed:"
                " one, for images without boxes"
            )
        self._step = self._policy.draw(Mt19937(0))

    def apply(self, image: Pixels) -> Pixels:
        """(C, h, w) from (C, H, W)."""
        return channels_first(
            self._step(
                image[0] if len(image) == 1 else np.ascontiguousarray(image.transpose(1, 2, 0))
            )
        )

    def check_raw(self, shape: Sequence[int]) -> None:
        """DataError if a raw image (C, H, W) has another size: SSD resizes encoded ones only."""
        size = (shape[1], shape[2])
        if self._policy.output_size(size) != size:
            found = size_text(size)
            needed = size_text(self._policy.output_size(size))
            raise DataError(
                f"is raw and {found}, resize_param asks for {needed}; needed: encoded records,"
                " which can be resized"
            )


def fixed_resize(transform: caffe_pb2.TransformationParameter) -> FixedResize | None:
    """The `FixedResize` of a caffe.TransformationParameter, or None.

    Of several ``resize_param`` it is the first one's; only AnnotatedData draws one.
    """
    given = len(transform.resize_param)
    if given > 1:
        log.warning(
            "data_transformer.cpp:0",
            f"resize_param is given {given} times: this layer takes the first, whatever prob is; "
            "only AnnotatedData draws one of them",
        )
    return FixedResize(transform.resize_param[0]) if given else None


def weighted(random: Mt19937, chances: Sequence[float]) -> int:
    """A number from 0 on, drawn with these probabilities.

    Source: ``roll_weighted_die``.
    """
    ends = np.cumsum(np.array(chances, np.float32), dtype=np.float32)
    return int(np.searchsorted(ends, random.between(0, float(ends[-1]))))


def _resized(image: Pixels, size: Size, interpolation: int) -> Pixels:
    """The image resized by OpenCV's own code.

    The OpenCV of PyPI contains Intel's library, which rounds cubic values in another way.
    """
    import cv2

    before = cv2.ipp.useIPP()
    cv2.ipp.setUseIPP(False)  # for this thread only
    try:
        return np.asarray(cv2.resize(image, size[::-1], interpolation=interpolation))
    finally:
        cv2.ipp.setUseIPP(before)
