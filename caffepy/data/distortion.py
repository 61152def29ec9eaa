"""``distort_param`` and ``expand_param``: SSD's random colours, and images on a larger canvas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from caffepy.data import opencv
from caffepy.data.c_rand import CRand
from caffepy.data.objects import Box
from caffepy.data.opencv import Pixels
from caffepy.data.random import Mt19937
from caffepy.data.resize_policy import Size, Step
from caffepy.errors import DataError
from caffepy.float32 import round32
from caffepy.proto import caffe_pb2

HUE, SATURATION = 0, 1
"""Their channels in HSV."""


@dataclass(frozen=True)
class Change:
    """A change that happens with probability ``prob``, by an amount from ``low`` to ``high``."""

    prob: float
    low: float
    high: float

    def draw(self, random: Mt19937) -> float | None:
        """The amount; None if there is no change this time."""
        return random.between(self.low, self.high) if random.between(0, 1) < self.prob else None


class Distortion:
    """Random brightness, contrast, saturation, hue and order of channels.

    Contrast comes second or fourth, which is drawn too. The order of channels is shuffled by C's
    ``rand()``, as if nobody else drew from it: in SSD the threads of several layers do so in no
    fixed order.

    Source: ``ApplyDistort``.
    """

    def __init__(self, param: caffe_pb2.DistortionParameter) -> None:
        """``param``: a caffe.DistortionParameter.  DataError for limits that are not in order."""
        for name in ("brightness_delta", "hue_delta"):
            if getattr(param, name) < 0:
                raise DataError(
                    f"distort_param: {name} must be non-negative; found: {getattr(param, name):g}"
                )
        for name in ("contrast", "saturation"):
            low, high = (getattr(param, f"{name}_{end}") for end in ("lower", "upper"))
            if not 0 <= low <= high:
                raise DataError(
                    f"distort_param: {name}_lower is {low:g}, {name}_upper {high:g}; needed: 0"
                    " or more and in order"
                )
        self._brightness = Change(
            param.brightness_prob, -param.brightness_delta, param.brightness_delta
        )
        self._contrast = Change(param.contrast_prob, param.contrast_lower, param.contrast_upper)
        self._saturation = Change(
            param.saturation_prob, param.saturation_lower, param.saturation_upper
        )
        self._hue = Change(param.hue_prob, -param.hue_delta, param.hue_delta)
        self._random_order_prob = param.random_order_prob
        self.shuffle = CRand()

    def draw(self, random: Mt19937) -> list[Step]:
        """The changes of one image (H, W, 3)."""
        first = random.between(0, 1) > 0.5
        steps = self._draw_brightness(random)
        if first:
            steps += self._draw_contrast(random)
        steps += self._draw_hsv(random)
        if not first:
            steps += self._draw_contrast(random)
        if random.between(0, 1) < self._random_order_prob:
            steps.append(partial(_reordered, order=self.shuffle.shuffle(np.arange(3)).tolist()))
        return steps

    def _draw_brightness(self, random: Mt19937) -> list[Step]:
        delta = self._brightness.draw(random)
        return [partial(_linear, scale=1.0, shift=delta)] if delta else []

    def _draw_contrast(self, random: Mt19937) -> list[Step]:
        scale = self._contrast.draw(random)
        return (
            []
            if scale is None or abs(scale - 1) <= 1e-3
            else [partial(_linear, scale=scale, shift=0.0)]
        )

    def _draw_hsv(self, random: Mt19937) -> list[Step]:
        saturation, hue = self._saturation.draw(random), self._hue.draw(random)
        steps: list[Step] = (
            []
            if saturation is None
            else [partial(_in_hsv, channel=SATURATION, scale=saturation, shift=0.0)]
        )
        return [*steps, partial(_in_hsv, channel=HUE, scale=1.0, shift=hue)] if hue else steps


def _linear(image: Pixels, *, scale: float, shift: float) -> Pixels:
    """``scale * value + shift`` as ``cv::Mat::convertTo`` computes it.

    It is rounded half to even and clipped to 0 and 255.
    """
    import cv2

    values = np.arange(256, dtype=np.float64) * round32(scale) + round32(shift)
    return np.asarray(
        cv2.LUT(image, np.rint(values.astype(np.float32)).clip(0, 255).astype(np.uint8))
    )


def _in_hsv(image: Pixels, *, channel: int, scale: float, shift: float) -> Pixels:
    import cv2

    opencv.needs_colours(image, "distort_param: saturation or hue")
    planes = list(cv2.split(cv2.cvtColor(image, cv2.COLOR_BGR2HSV)))
    planes[channel] = _linear(np.asarray(planes[channel]), scale=scale, shift=shift)
    return np.asarray(cv2.cvtColor(cv2.merge(planes), cv2.COLOR_HSV2BGR))


def _reordered(image: Pixels, *, order: Sequence[int]) -> Pixels:
    opencv.needs_colours(image, "distort_param: random_order_prob")
    return np.ascontiguousarray(image[:, :, order])


@dataclass(frozen=True)
class Canvas:
    """Where an image is put on a canvas, in pixels."""

    size: Size
    top: int
    left: int


Fill: TypeAlias = Sequence[float]


class Expansion:
    """An image at a random place on a canvas up to ``max_expand_ratio`` times its size.

    Source: ``ExpandImage``.
    """

    def __init__(self, param: caffe_pb2.ExpansionParameter) -> None:
        """``param``: a caffe.ExpansionParameter.  DataError for a ratio that expands nothing."""
        if not param.max_expand_ratio > 1:
            raise DataError(
                f"expand_param: max_expand_ratio is {param.max_expand_ratio:g}; needed: above 1"
            )
        self._prob = param.prob
        self._most = param.max_expand_ratio

    def draw(self, random: Mt19937, size: Size) -> Canvas | None:
        """The canvas of an image of (H, W); None if it is not expanded this time."""
        if random.between(0, 1) > self._prob or abs(self._most - 1) < 1e-2:
            return None
        ratio = np.float32(random.between(1, self._most))
        height, width = (int(np.float32(side) * ratio) for side in size)
        top, left = random.between(0, height - size[0]), random.between(0, width - size[1])
        return Canvas((height, width), math.floor(top), math.floor(left))


def window_of(canvas: Canvas, size: Size) -> Box:
    """The canvas as a window, relative to the image of (H, W) that lies on it."""
    height, width = (np.float32(side) for side in size)
    left, top = np.float32(-canvas.left) / width, np.float32(-canvas.top) / height
    right = np.float32(canvas.size[1] - canvas.left) / width
    bottom = np.float32(canvas.size[0] - canvas.top) / height
    return float(left), float(top), float(right), float(bottom)


def placed(image: Pixels, *, canvas: Canvas, fill: Fill) -> Pixels:
    """The image on its canvas.

    ``fill``: the canvas's colour, a number for each channel or one for all.
    """
    channels = 1 if image.ndim == 2 else image.shape[2]
    if len(fill) not in (1, channels):
        raise DataError(
            f"Specify either 1 mean_value or as many as channels: {channels} ({len(fill)} given)"
        )
    placed_image = np.empty((*canvas.size, *image.shape[2:]), image.dtype)
    placed_image[...] = np.rint(np.array(fill if channels > 1 else fill[0], np.float64)).clip(
        0, 255
    )
    placed_image[
        canvas.top : canvas.top + image.shape[0], canvas.left : canvas.left + image.shape[1]
    ] = image
    return placed_image
