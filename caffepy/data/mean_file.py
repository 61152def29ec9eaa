"""Mean images: the BlobProto files of ``compute_image_mean``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caffepy import log
from caffepy.data.opencv import Window
from caffepy.errors import CaffeError, DataError

Floats = npt.NDArray[np.float32]
Pixels = npt.NDArray[np.uint8]
Values = npt.NDArray[np.uint8] | npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

TABLE_BYTES = 8 << 20
"""Largest table of all windows of a mean image.

Reading from a larger one is no faster than cutting windows out of the mean.
"""


def read_mean(path: str) -> Floats:
    """The mean image of a file, (C, H, W).  DataError if it is missing or something else.

    That of a clip, as C3D has it, has the channels of all its frames.
    """
    from caffepy.proto.weights import read_blob

    log.info("data_transformer.cpp:25", f"Loading mean file from: {path}")
    try:
        mean = read_blob(path)
    except CaffeError as error:
        raise DataError(f"mean_file: {error}") from error
    if mean.ndim == 5 and mean.size:
        mean = mean.reshape(len(mean), -1, *mean.shape[3:])
    if mean.ndim == 4 and len(mean):
        mean = mean[0]
    if mean.ndim != 3 or not mean.size:
        raise DataError(
            f"mean_file '{path}' has shape {mean.shape}; needed: channels x height x width"
        )
    return np.ascontiguousarray(mean, np.float32)


class MeanImage:
    """A mean image, plain and mirrored."""

    def __init__(self, mean: Floats) -> None:
        import cv2

        self.shape = mean.shape
        self._plain = mean
        self._mirrored = np.ascontiguousarray(mean[:, :, ::-1])
        self._subtract = cv2.subtract
        self._float = cv2.CV_32F
        self._tabled: tuple[int, int] | None = None
        self._windows: Floats | None = None

    def window(self, window: Window, mirror: bool) -> Floats:
        """The part under this window of the image, (C, height, width), mirrored if the image is."""
        top, left, height, width = window
        if mirror:
            return self._mirrored[
                :, top : top + height, self.shape[2] - width - left : self.shape[2] - left
            ]
        return self._plain[:, top : top + height, left : left + width]

    def subtract_from(self, image: Values, out: Floats, window: Window, mirror: bool) -> None:
        """Subtract the mean from a window's pixels (C, height, width), into ``out``.

        OpenCV reads the memory once where numpy would read it twice, and takes half the time where
        rows are not contiguous. With an axis more it takes all planes in one call: between calls
        threads wait for Python's lock.
        """
        mean = self.window(window, mirror)
        self._subtract(image[None], mean[None], out[None], None, self._float)

    def subtract_from_all(
        self, images: Pixels, out: Floats, tops: Indices, lefts: Indices, turned: Indices
    ) -> None:
        """Subtract the mean from the pixels of many windows (N, C, h, w), into ``out``.

        ``turned``: 1 where a window is mirrored. The negative mean is written first, and the images
        are added to it: OpenCV's sum of bytes and floats is the fastest way.
        """
        import cv2

        size = (out.shape[2], out.shape[3])
        table = self._table(size)
        if table is None:
            for i, (top, left, mirror) in enumerate(
                zip(tops.tolist(), lefts.tolist(), turned.tolist())
            ):
                np.negative(self.window((top, left, *size), bool(mirror)), out=out[i])
        else:
            high, wide = self._places(size)
            np.take(table, (turned * high + tops) * wide + lefts, axis=0, out=out, mode="clip")
        cv2.accumulate(images.reshape(-1, size[1]), out.reshape(-1, size[1]))

    def _places(self, size: tuple[int, int]) -> tuple[int, int]:
        """How many tops and lefts a window of this size can have."""
        return self.shape[1] - size[0] + 1, self.shape[2] - size[1] + 1

    def _table(self, size: tuple[int, int]) -> Floats | None:
        """All windows of the negative mean, (2 * tops * lefts, C, h, w): plain, then mirrored.

        None if that is too large.
        """
        if self._tabled != size:
            high, wide = self._places(size)
            bytes_needed = (
                2 * high * wide * self.shape[0] * size[0] * size[1] * self._plain.itemsize
            )
            self._tabled = size
            self._windows = None
            if bytes_needed <= TABLE_BYTES:
                places = [(top, left, *size) for top in range(high) for left in range(wide)]
                plain = [self.window(window, False) for window in places]
                mirrored = [self.window(window, True) for window in places]
                self._windows = -np.stack([*plain, *mirrored])
        return self._windows
