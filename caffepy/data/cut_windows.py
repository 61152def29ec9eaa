"""Windows of images as planes, mirrored or not: of one image, or of many small ones at once."""

# N images, C channels, H W image, h w window

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

from caffepy.data import opencv
from caffepy.data.opencv import Pixels, Values, Window
from caffepy.data.scratch import Scratch

Places = npt.NDArray[np.int64]


def cut_window(image: Values, window: Window, mirror: bool, scratch: Scratch) -> Values:
    """A window (C, h, w) of an image (C, H, W), mirrored left to right if ``mirror``.

    It is a view of the image or of ``scratch``.
    """
    if not image.flags.c_contiguous:
        return _split(image, window, mirror, scratch)
    top, left, height, width = window
    if not mirror:
        return cast("Values", image[:, top : top + height, left : left + width])
    turned: Any = scratch.take("turned", (image.shape[0] * image.shape[1], width), image.dtype)
    return cast("Values", opencv.flip(image, window, turned))


def _split(image: Values, window: Window, mirror: bool, scratch: Scratch) -> Values:
    """A window of an image that OpenCV decoded, whose channels are interleaved."""
    import cv2

    top, left, height, width = window
    pixels: Any = image.transpose(1, 2, 0)[top : top + height, left : left + width]
    if mirror:
        pixels = cv2.flip(pixels, 1, scratch.take("turned", pixels.shape, image.dtype))
    out = scratch.take("planes", (image.shape[0], height, width), image.dtype)
    cv2.split(pixels, list(out))
    return cast("Values", out)


def cut_windows(
    stack: Pixels,
    tops: Places,
    lefts: Places,
    turned: Places,
    size: tuple[int, int],
    scratch: Scratch,
) -> Pixels:
    """A copy of a window of each image (N, C, H, W), as (N, C, h, w).

    It is mirrored left to right where ``turned`` is 1. The pixels of each image are contiguous in
    memory. Each row of a window is gathered as one item, whatever byte it starts at; a mirrored row
    is gathered from a copy of all bytes in reverse order.
    """
    import cv2

    count, channels, rows, columns = stack.shape
    height, width = size
    span = (count - 1) * stack.strides[0] + channels * rows * columns
    both: Any = as_strided(stack, (span,), (1,))
    starts = np.arange(count) * stack.strides[0] + tops * columns + lefts
    within = (np.arange(channels)[:, None] * (rows * columns) + np.arange(height) * columns).ravel()
    if turned.any():
        plain = both
        both = scratch.take("both", (2 * span,), np.uint8)
        both[:span] = plain
        cv2.flip(plain[None], 1, both[None, span:])
        places = (
            np.where(turned, 2 * span - width - starts, starts)[:, None]
            + np.where(turned, -1, 1)[:, None] * within
        )
    else:
        places = starts[:, None] + within
    items = np.ndarray((len(both) - width + 1,), f"V{width}", both, strides=(1,))
    rows_found: Pixels = items[places.ravel()].view(np.uint8)
    return rows_found.reshape(count, channels, height, width)
