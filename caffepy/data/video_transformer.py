"""Transformations of the frames of a video, the same for all frames, for VideoData."""

# C channels of all frames, H W frame, h w output (crop_size, or the frame's own size)

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from caffepy.data import opencv
from caffepy.data.opencv import Pixels
from caffepy.data.transformer import Floats, Transformer, TransformSpec, Values
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

FIELDS = ("fix_crop", "more_fix_crop", "multi_scale", "scale_ratios", "max_distort", "is_flow")
"""Fields of transform_param that the Caffe of temporal segment networks added for this layer."""
RATIOS = (1.0, 0.875, 0.75, 0.66)
CORNERS = ((0, 0), (0, 4), (4, 0), (4, 4), (2, 2))
MORE = ((0, 2), (4, 2), (2, 0), (2, 4), (1, 1), (1, 3), (3, 1), (3, 3))
"""Where a crop can be, down and right, in quarters of the free space."""
CLOSE_PIXELS = 3
"""A side of a crop that differs from crop_size by less than this is crop_size."""


class VideoTransformer(Transformer):
    """Mirrors frames, and cuts one of some sizes at one of some places, at random in TRAIN.

    Mirrored optical flow from left to right is negated. If there are fewer mean values than
    channels they repeat: three serve all frames.
    """

    def __init__(self, transform: caffe_pb2.TransformationParameter, phase: int) -> None:
        """``transform``: a caffe.TransformationParameter.

        DataError for what this layer cannot do.
        """
        if transform.mean_file:
            raise DataError("VideoData does not take a mean_file; needed: mean_value")
        spec = TransformSpec.from_proto(transform, more=FIELDS)
        if transform.multi_scale and not spec.crop_size:
            raise DataError("Multi scale augmentation is only activated with crop_size set.")
        super().__init__(spec, phase)
        self._ratios = np.array(transform.scale_ratios or RATIOS, np.float32)
        if not (self._ratios.min() > 0 and self._ratios.max() <= 1):
            raise DataError(
                f"transform_param.scale_ratios is {', '.join(f'{r:g}' for r in self._ratios)};"
                " needed: above 0, at most 1"
            )
        self._distort = int(transform.max_distort)
        self._flow = bool(transform.is_flow)
        self._scales = bool(transform.multi_scale) and self.random_crop
        self._places = (
            (*CORNERS, *(MORE if transform.more_fix_crop else ()))
            if transform.fix_crop and self.random_crop
            else ()
        )

    @property
    def draws_each(self) -> int:
        """In this order: mirror, size, place (or top and left)."""
        return super().draws_each + self._scales - bool(self._places)

    def takes_means(self, channels: int) -> bool:
        """Whether the channels are a multiple of the mean values."""
        return not self.spec.mean_values or channels % len(self.spec.mean_values) == 0

    def _finish(self, out: Floats) -> None:
        super()._finish(out.reshape(-1, max(1, len(self.spec.mean_values)), *out.shape[1:]))

    def sizes(self, height: int, width: int) -> list[tuple[int, int]]:
        """Height and width of the crops of an image.

        max_distort limits how far they are from a square.
        """
        net = self.spec.crop_size
        base = np.float32(min(height, width))
        sides = [
            net if abs(side - net) < CLOSE_PIXELS else side
            for side in (int(base * ratio) for ratio in self._ratios)
        ]
        pairs = [
            (h, w)
            for i, h in enumerate(sides)
            for j, w in enumerate(sides)
            if abs(i - j) <= self._distort
        ]
        if not pairs or not min(sides):
            raise DataError(
                f"no crop is left of a frame of {height}x{width}; needed: larger scale_ratios,"
                " max_distort 0 or more"
            )
        return pairs

    def apply(self, image: Values, out: Floats, draws: Sequence[int] | None) -> None:
        """Transform all frames (C, H, W) of bytes into ``out`` (C, h, w).

        ``draws``: a row of `draws`.
        """
        rest = list(draws or ())
        mirror = self.spec.mirror and bool(rest.pop(0) % 2)
        height, width = out.shape[1:]
        top, left = (image.shape[1] - height) // 2, (image.shape[2] - width) // 2
        if self._scales:
            sizes = self.sizes(*image.shape[1:])
            height, width = sizes[rest.pop(0) % len(sizes)]
        if self.random_crop:
            down, right = image.shape[1] - height, image.shape[2] - width
            if self._places:
                place = self._places[rest.pop(0) % len(self._places)]
                top, left = place[0] * (down // 4), place[1] * (right // 4)
            else:
                top, left = rest[0] % (down + 1), rest[1] % (right + 1)
        part = cast("Pixels", image)[:, top : top + height, left : left + width]
        if part.shape != out.shape:
            part = np.stack([opencv.resize(plane, *out.shape[1:]) for plane in part])
        np.copyto(out, part[:, :, ::-1] if mirror else part)
        if mirror and self._flow:
            np.subtract(255, out[::2], out=out[::2])
        self._finish(out)
