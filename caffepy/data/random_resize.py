"""Fields of ``transform_param`` that resize images by random amounts before the crop.

They are NVIDIA's, and Intel's ``random_resize_param``.
"""

# C channels, H W image, h w output

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from caffepy.data.opencv import Values, channels_first, rounded
from caffepy.data.resize_policy import WARP, ResizePolicy, Size
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

RANGES = ("rand_resize_ratio", "vertical_stretch", "horizontal_stretch")
ASKED = (
    "img_rand_resize_lower",
    "img_rand_resize_upper",
    *(f"{name}_{end}" for name in RANGES for end in ("lower", "upper")),
)
RESIZE_FIELDS = (
    *ASKED,
    "interpolation_algo_down",
    "interpolation_algo_up",
    "allow_upscale",
    "random_resize_param",
)
DRAWS = 5
"""Draws for an image: its shorter side, its ratio, which side is longer, the two stretches."""
LARGEST_DRAW = 0xFFFFFFFF
MOST_PIXELS = 2.0**31 - 1
LINEAR = 1
"""OpenCV's number."""
f32 = np.float32


@dataclass(frozen=True)
class RandomResize:
    """A random size, from the fields of NVIDIA's ``transform_param`` or from Intel's.

    If the fields for it are 0 or not given, the shorter side, or the ratio of the sides, stays.
    """

    shorter: tuple[int, int] | None
    """Range of the length of the shorter side, both ends included.

    Intel's may begin or end with 0: the image's own shorter and longer side.
    """
    ratio: tuple[float, float] | None
    """Range of the longer side divided by the shorter one."""
    vertical: tuple[float, float]
    horizontal: tuple[float, float]
    """Ranges of the factors by which height and width are then multiplied."""
    crop_size: int
    """The least length of a side."""
    down: int
    up: int
    """Interpolations in OpenCV's numbers; ``up`` is used if a side becomes longer."""
    allow_upscale: bool
    """Whether sides may become longer than they were."""
    intels: bool = False
    """The longer side is not rounded but cut off, and the crop has to fit in."""

    @classmethod
    def from_proto(cls, param: caffe_pb2.TransformationParameter) -> RandomResize | None:
        """Read a caffe.TransformationParameter; None if it asks for no random size.

        DataError if the fields do not fit each other.
        """
        if param.HasField("random_resize_param"):
            return cls._from_intels(param)
        if not any(
            param.HasField(name) and (getattr(param, name) or name not in ASKED[:2])
            for name in ASKED
        ):
            return None
        low, high = int(param.img_rand_resize_lower), int(param.img_rand_resize_upper)
        if low and high and high < low:
            raise DataError(
                f"transform_param: img_rand_resize_lower is {low}, img_rand_resize_upper"
                f" {high}; needed: in order"
            )
        if not param.crop_size:
            raise DataError(
                "transform_param: images are resized at random, and crop_size is 0; needed:"
                " the size of the batch's images"
            )
        for name in ASKED[2:]:
            if not np.isfinite(getattr(param, name)):
                raise DataError(
                    f"transform_param: {name} is {getattr(param, name):g}; needed: a finite number"
                )
        ranges = [
            (float(getattr(param, f"{name}_lower")), float(getattr(param, f"{name}_upper")))
            for name in RANGES
        ]
        ratio, *stretches = ranges
        vertical, horizontal = (limits if min(limits) > 0 else (1.0, 1.0) for limits in stretches)
        return cls(
            shorter=(low, high) if low and high else None,
            ratio=ratio if ratio[0] >= 1 and ratio[1] > 1 else None,
            vertical=vertical,
            horizontal=horizontal,
            crop_size=int(param.crop_size),
            down=int(param.interpolation_algo_down),
            up=int(param.interpolation_algo_up),
            allow_upscale=bool(param.allow_upscale),
        )

    @classmethod
    def _from_intels(cls, param: caffe_pb2.TransformationParameter) -> RandomResize:
        own = param.random_resize_param
        others = [name for name in ASKED if param.HasField(name)]
        if others or param.resize_param:
            name = others[0] if others else "resize_param"
            raise DataError(f"transform_param: random_resize_param and {name}; needed: one of them")
        if own.min_size and own.max_size and own.max_size < own.min_size:
            raise DataError(
                f"random_resize_param: min_size is {own.min_size}, max_size {own.max_size};"
                " needed: in order"
            )
        if not param.crop_size:
            raise DataError(
                "transform_param: images are resized at random, and crop_size is 0; needed:"
                " the size of the batch's images"
            )
        how = caffe_pb2.ResizeParameter()
        how.CopyFrom(own.resize_param)
        how.height = how.width = 1  # the size is drawn
        policy = ResizePolicy.from_proto(how)
        if policy.mode != WARP or len(policy.interpolations) > 1:
            raise DataError(
                "random_resize_param: resize_param has another resize_mode than WARP, or several"
                " interp_mode; needed: WARP and one"
            )
        interpolation = policy.interpolations[0] if policy.interpolations else LINEAR
        return cls(
            shorter=(int(own.min_size), int(own.max_size)),
            ratio=None,
            vertical=(1.0, 1.0),
            horizontal=(1.0, 1.0),
            crop_size=int(param.crop_size),
            down=interpolation,
            up=interpolation,
            allow_upscale=True,
            intels=True,
        )

    @property
    def draws(self) -> int:
        """How many random draws an image takes; 0 if nothing is random."""
        sides = self.shorter is not None and (
            self.shorter[0] < self.shorter[1] or 0 in self.shorter
        )
        return (
            DRAWS
            if sides or self.ratio or any(a != b for a, b in (self.vertical, self.horizontal))
            else 0
        )

    def size(self, size: Size, draws: Sequence[int]) -> Size:
        """The new size (h, w) of an image of (H, W).

        DataError if it is too large for OpenCV. Source: ``image_random_resize``.
        """
        side, ratio, tie, vertical, horizontal = draws or (0,) * DRAWS
        shorter = min(size)
        if self.shorter is not None:
            low = self.shorter[0] or min(size)
            high = self.shorter[1] or max(size)
            if high < low:
                raise DataError(
                    f"an image of {size[0]}x{size[1]} has no shorter side from {low} to {high};"
                    " needed: min_size and max_size that fit it"
                )
            shorter = low + side % (high - low + 1)
        if self.intels:
            return self._cut_off(size, shorter)
        scale = f32(shorter) / f32(min(size))
        height, width = (scale * f32(length) for length in size)
        if self.ratio is not None:
            drawn = _between(self.ratio, ratio)
            if width > height or (width == height and tie % 2):
                width = height * drawn
            else:
                height = width * drawn
        height = height * _between(self.vertical, vertical)
        width = width * _between(self.horizontal, horizontal)
        if not height + width <= MOST_PIXELS:
            raise DataError(
                f"an image of {size[0]}x{size[1]} becomes {height:g}x{width:g}; needed: at"
                f" most {MOST_PIXELS:.0f} for both sides together"
            )
        wanted = (max(self.crop_size, rounded(height)), max(self.crop_size, rounded(width)))
        return wanted if self.allow_upscale else (min(wanted[0], size[0]), min(wanted[1], size[1]))

    def _cut_off(self, size: Size, shorter: int) -> Size:
        """The size (h, w) of Intel's ``ResizeImagePerShorterSize``."""
        if shorter < self.crop_size:
            raise DataError(
                f"an image of {size[0]}x{size[1]} gets a shorter side of {shorter}; needed: a"
                f" min_size of at least crop_size, {self.crop_size}"
            )
        longer = int(f32(max(size)) / f32(min(size)) * f32(shorter))
        return (shorter, longer) if size[0] < size[1] else (longer, shorter)

    def apply(self, image: Values, draws: Sequence[int]) -> Values:
        """(C, h, w) from (C, H, W)."""
        import cv2

        before = (image.shape[1], image.shape[2])
        after = self.size(before, draws)
        if after == before:
            return image
        smaller = after[0] <= before[0] and after[1] <= before[1]
        pixels = np.ascontiguousarray(image.transpose(1, 2, 0))
        resized: Any = cv2.resize(
            pixels, after[::-1], interpolation=self.down if smaller else self.up
        )
        return cast("Values", channels_first(resized))


def resizes_at_random(param: caffe_pb2.TransformationParameter) -> bool:
    """Whether a caffe.TransformationParameter gives images random sizes.

    False if its fields do not fit each other.
    """
    try:
        resize = RandomResize.from_proto(param)
    except DataError:
        return False
    return resize is not None and resize.draws > 0


def _between(limits: tuple[float, float], draw: int) -> np.float32:
    low, high = sorted(limits)
    return f32(low + (high - low) * draw / LARGEST_DRAW)
