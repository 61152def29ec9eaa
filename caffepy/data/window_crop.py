"""R-CNN's windows with context: their places in image and crop, in Caffe's float32 arithmetic."""

# H W image, C channels, S crop size

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caffepy.data import opencv
from caffepy.data.opencv import rounded
from caffepy.errors import DataError

Pixels = npt.NDArray[np.uint8]
Box = tuple[int, int, int, int]
"""x1, y1, x2, y2, both ends inside."""

f32 = np.float32


@dataclass(frozen=True)
class CropSpec:
    """How windows are cropped.

    ``size``: that of the square crop. ``pad``: pixels of context on each side of it. ``square``:
    extend the window to a square first.
    """

    size: int
    pad: int = 0
    square: bool = False


@dataclass(frozen=True)
class Placing:
    """Where a window is in the crop.

    ``box`` of the image is resized to ``height`` x ``width`` and put at ``top``, ``left``.
    """

    box: Box
    height: int
    width: int
    top: int = 0
    left: int = 0


def crop(image: Pixels, box: Box, spec: CropSpec, mirror: bool) -> tuple[Pixels, int, int]:
    """The resized window as (C, h, w) and its top and left in the crop.

    ``image``: (H, W, C).
    """
    height, width = image.shape[:2]
    placing = place(box, spec, height=height, width=width, mirror=mirror)
    x1, y1, x2, y2 = placing.box
    if (
        not (0 <= x1 <= x2 < width and 0 <= y1 <= y2 < height)
        or placing.height < 1
        or placing.width < 1
    ):
        raise DataError(
            f"window {' '.join(map(str, box))} (x1 y1 x2 y2) does not lie in its image of"
            f" {width}x{height} (width x height)"
        )
    part = opencv.resize(
        np.ascontiguousarray(image[y1 : y2 + 1, x1 : x2 + 1]), placing.height, placing.width
    )
    pixels = opencv.planes(opencv.channels_first(part))
    if mirror:
        pixels = opencv.flip(pixels, (0, 0, *pixels.shape[1:]))
    return pixels, placing.top, placing.left


def bottom(box: Box, spec: CropSpec, shape: tuple[int, int, int], mirror: bool) -> int:
    """The first row of an image (C, H, W) below what `crop` takes of it."""
    _, height, width = shape
    return max(1, place(box, spec, height=height, width=width, mirror=mirror).box[3] + 1)


def place(box: Box, spec: CropSpec, *, height: int, width: int, mirror: bool) -> Placing:
    """How a window of an image of this size is cut out.

    With context or in square mode the window is extended around its centre, so that ``pad`` pixels
    of the crop on each side are context. What is outside the image stays empty in the crop.
    """
    if spec.pad == 0 and not spec.square:
        return Placing(box, spec.size, spec.size)
    x1, y1, x2, y2 = _extended(box, spec)
    scale_x, scale_y = f32(spec.size) / f32(x2 - x1 + 1), f32(spec.size) / f32(y2 - y1 + 1)
    outside_left, outside_top = max(0, -x1), max(0, -y1)
    outside_right, outside_bottom = max(0, x2 - width + 1), max(0, y2 - height + 1)
    inside = (x1 + outside_left, y1 + outside_top, x2 - outside_right, y2 - outside_bottom)
    top = rounded(f32(outside_top) * scale_y)
    left = rounded(f32(outside_right if mirror else outside_left) * scale_x)
    # rounding may make it one pixel too large
    return Placing(
        inside,
        min(rounded(f32(inside[3] - inside[1] + 1) * scale_y), spec.size - top),
        min(rounded(f32(inside[2] - inside[0] + 1) * scale_x), spec.size - left),
        top,
        left,
    )


def _extended(box: Box, spec: CropSpec) -> Box:
    x1, y1, x2, y2 = box
    scale = f32(spec.size) / f32(spec.size - 2 * spec.pad)
    half_height, half_width = f32((y2 - y1 + 1) / 2), f32((x2 - x1 + 1) / 2)
    centre_x, centre_y = f32(x1) + half_width, f32(y1) + half_height
    if spec.square:
        half_height = half_width = max(half_height, half_width)
    return (
        rounded(centre_x - half_width * scale),
        rounded(centre_y - half_height * scale),
        rounded(centre_x + half_width * scale),
        rounded(centre_y + half_height * scale),
    )
