"""Image files as the input of a net, and the names of its classes."""

# C channels (blue, green, red), H W

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.data.image_file import decode
from caffepy.data.mean_file import read_mean
from caffepy.errors import DataError, UsageError
from caffepy.proto.atomic import open_file


def read_pixels(
    path: str, channels: int, height: int, width: int, *, resize: tuple[int, int] | None = None
) -> npt.NDArray[np.float32]:
    """An image file as (C, H, W), from 0 to 255, with 1 or 3 channels, resized.

    ``resize``: a height and width no smaller, to which it is resized before its centre is cut out.
    Errors: DataError if the file is no image.
    """
    import cv2

    try:
        with open_file(path) as file:
            image: Any = decode(file.read(), None, name=path)
    except OSError as error:
        raise DataError(f"Unable to decode image {path}: {error.strerror}") from None
    if image is None:
        raise DataError(f"Unable to decode image {path}: it is no image that OpenCV knows")
    conversion = {
        (3, 1): cv2.COLOR_BGR2GRAY,
        (4, 1): cv2.COLOR_BGRA2GRAY,
        (4, 3): cv2.COLOR_BGRA2BGR,
        (1, 3): cv2.COLOR_GRAY2BGR,
    }
    given = 1 if image.ndim == 2 else image.shape[2]
    if given != channels:
        image = cv2.cvtColor(image, conversion[given, channels])
    high, wide = resize or (height, width)
    if image.shape[:2] != (high, wide):
        image = cv2.resize(image, (wide, high))
    top = (high - height) // 2
    left = (wide - width) // 2
    image = image[top : top + height, left : left + width]
    pixels = image.reshape(height, width, channels).transpose(2, 0, 1)
    return np.ascontiguousarray(pixels, np.float32)


def parse_mean(text: str) -> Sequence[float]:
    """The values of ``104,117,123``, or the channel means of a mean file; empty for empty text."""
    values = numbers_in(text)
    if values is None:
        values = read_mean(text).mean(axis=(1, 2), dtype=np.float64).tolist()
    return values


def numbers_in(text: str) -> list[float] | None:
    """The numbers of ``104,117,123``; none in empty text. None for text that is something else."""
    try:
        numbers = [float(part) for part in text.split(",")] if text else []
    except ValueError:
        return None
    if not all(map(math.isfinite, numbers)):
        raise UsageError(f"-mean {text}: needed: finite numbers such as 104,117,123")
    return numbers


def read_labels(path: str) -> list[str]:
    """The lines of a file, the name of a class each.  Errors: DataError if it cannot be read."""
    try:
        with open_file(path) as file:
            return [line.decode(errors="replace").rstrip("\r\n") for line in file]
    except OSError as error:
        raise DataError(f"Unable to open labels file {path}: {error.strerror}") from None
