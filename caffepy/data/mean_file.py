"""Mean images: the BlobProto files of ``compute_image_mean``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caffepy import log
from caffepy.data.image import Window
from caffepy.errors import CaffeError, DataError

Floats = npt.NDArray[np.float32]


def read_mean(path: str) -> Floats:
    """The mean image of a file, (C, H, W).  DataError if it is missing or something else."""
    from caffepy.proto.weights import read_blob

    log.info("data_transformer.cpp:25", f"Loading mean file from: {path}")
    try:
        mean = read_blob(path)
    except CaffeError as error:
        raise DataError(f"mean_file: {error}") from error
    if mean.ndim == 4:
        mean = mean[0]
    if mean.ndim != 3 or not mean.size:
        raise DataError(f"mean_file '{path}' has shape {mean.shape}; needed: channels x height x width")
    return np.ascontiguousarray(mean, np.float32)


class MeanImage:
    """A mean image, plain and mirrored."""

    def __init__(self, mean: Floats) -> None:
        import cv2

        self.shape = mean.shape
        self._plain = mean
        self._mirrored = np.ascontiguousarray(mean[:, :, ::-1])
        self._subtract = cv2.subtract

    def window(self, window: Window, mirror: bool) -> Floats:
        """The part under this window of the image, (C, height, width), mirrored with it."""
        top, left, height, width = window
        if mirror:
            return self._mirrored[:, top : top + height, self.shape[2] - width - left : self.shape[2] - left]
        return self._plain[:, top : top + height, left : left + width]

    def subtract_from(self, image: Floats, window: Window, mirror: bool) -> None:
        """Subtract it from what was under this window; OpenCV takes half of numpy's time where rows do not follow one another."""
        mean = self.window(window, mirror)
        for channel in range(len(image)):
            plane = image[channel]
            self._subtract(plane, mean[channel], plane)
