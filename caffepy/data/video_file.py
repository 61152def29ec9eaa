"""Frames of a video file, which OpenCV decodes."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from caffepy.data.opencv import Pixels
from caffepy.errors import DataError

if TYPE_CHECKING:
    import cv2


def read(path: bytes, numbers: Collection[int], color: bool) -> dict[int, Pixels]:
    """The frames of these numbers, counted from 1: (H, W, 3) or (H, W).

    The file is read from its beginning up to the last of them: many formats find a frame only from
    those before it. DataError if it is no video, or too short.
    """
    last = max(numbers)
    frames: dict[int, Pixels] = {}
    with _opened(path) as video:
        for number in range(1, last + 1):
            if not video.grab():
                raise DataError(
                    f"has {number - 1} frames, and frame {last} is asked for; needed: a line of the"
                    " list with the number of frames that can be decoded"
                )
            if number in numbers:
                _, image = video.retrieve()
                frames[number] = _as_asked(np.asarray(image), color)
    return frames


def count(path: bytes) -> int:
    """The number of frames that the file says it has.  DataError if it is no video."""
    import cv2

    with _opened(path) as video:
        return int(video.get(cv2.CAP_PROP_FRAME_COUNT))


@contextmanager
def _opened(path: bytes) -> Iterator[cv2.VideoCapture]:
    """DataError if it is no video."""
    import cv2

    video = cv2.VideoCapture(os.fsdecode(path))
    try:
        if not video.isOpened():
            raise DataError(
                "is no video that OpenCV can decode; needed: a video file, or a folder of images"
            )
        yield video
    finally:
        video.release()


def _as_asked(image: Pixels, color: bool) -> Pixels:
    import cv2

    if color:
        return image if image.ndim == 3 else np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR))
    return image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
