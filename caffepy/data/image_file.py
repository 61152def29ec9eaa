"""Image files to pixels as in Caffe: by OpenCV, or JPEGs by simplejpeg where it is installed."""

# H height, W width, C channels (blue, green, red)

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from caffepy.data import opencv
from caffepy.data.jpeg import Shape, open_decoder
from caffepy.data.opencv import Buffer, Pixels, channels_first
from caffepy.errors import DataError
from caffepy.proto.atomic import open_no_pipe

Bottom: TypeAlias = Callable[[Shape], int]
"""Tells for an image (C, H, W) from which row on its pixels are not needed."""


def decode(
    content: Buffer, color: bool | None, *, name: str = "", bottom: Bottom | None = None
) -> Pixels | None:
    """What `opencv.decode` gives; a JPEG's pixels from the row ``bottom`` on are undefined."""
    decoder = open_decoder()
    image = decoder.decode(content, color, bottom) if decoder else None
    return opencv.decode(content, color, name=name) if image is None else image


def read(
    path: str | bytes,
    color: bool,
    *,
    height: int = 0,
    width: int = 0,
    nearest: bool = False,
    bottom: Bottom | None = None,
) -> Pixels | None:
    """Pixels of an image file, (H, W, 3) or (H, W); None if it cannot be read.

    It is resized if ``height`` and ``width`` are given; otherwise ``bottom`` is as for `decode`.
    """
    try:
        with open_no_pipe(path) as file:
            content = file.read()
    except (OSError, ValueError):  # ValueError: there is a NUL in the name
        return None
    resized = height > 0 and width > 0
    image = decode(content, color, name=os.fsdecode(path), bottom=None if resized else bottom)
    return image if image is None else opencv.resize(image, height, width, nearest=nearest)


def decode_datum(
    content: Buffer, *, force_color: bool, force_gray: bool, bottom: Bottom | None = None
) -> Pixels:
    """Pixels (C, H, W) of an encoded Datum's data; without a force flag as the file is.

    ``bottom``: as for `decode`. DataError if it is no 8-bit image.
    """
    color = True if force_color else False if force_gray else None
    image = decode(content, color, bottom=bottom)
    if image is None:
        raise DataError("Could not decode datum: its data is no image that OpenCV knows")
    if image.dtype != np.uint8:
        raise DataError(
            f"is an image of {image.dtype.itemsize * 8}-bit samples; needed: 8, or force_color"
            " or force_gray"
        )
    return channels_first(image)
