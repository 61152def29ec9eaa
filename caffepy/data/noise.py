"""``noise_param``: SSD's noise, blur and other changes of images that make a net robust."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from caffepy.data import opencv
from caffepy.data.opencv import Pixels
from caffepy.data.random import Mt19937
from caffepy.data.resize_policy import Size, Step
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

COLOURS_LEFT = 64
"""Width of a step of ``posterize``."""
CLIP_LIMIT = 4
Places: TypeAlias = npt.NDArray[np.uint32]


class Noise:
    """All kinds of noise that are switched on, in SSD's order.

    ``prob`` has no effect, as in SSD. Source: ``ApplyNoise``.
    """

    def __init__(self, param: caffe_pb2.NoiseParameter) -> None:
        """``param``: a caffe.NoiseParameter.  DataError for salt and pepper without a value."""
        named: list[tuple[bool, Step]] = [
            (param.decolorize, _decolorized),
            (param.gauss_blur, _blurred),
            (param.hist_eq, _equalized),
            (param.clahe, _clahe),
            (param.jpeg > 0, partial(_compressed, quality=int(param.jpeg))),
            (param.erode, _eroded),
            (param.posterize, _posterized),
            (param.inverse, np.invert),
        ]
        self._before = [step for wanted, step in named if wanted]
        self._after: list[Step] = [_hsv] if param.convert_to_hsv else []
        if param.convert_to_lab:
            self._after.append(_lab_bytes)
        self._fraction = param.saltpepper_param.fraction if param.saltpepper else 0.0
        self._values = list(param.saltpepper_param.value)
        if self._fraction and not self._values:
            raise DataError(
                "noise_param: saltpepper is on and saltpepper_param has no value; needed: 1,"
                " or as many as channels"
            )

    def draw(self, random: Mt19937, size: Size) -> list[Step]:
        """The changes of one image of (H, W)."""
        count = math.floor(np.float32(self._fraction) * np.float32(size[1]) * np.float32(size[0]))
        if not count:
            return self._before + self._after
        draws = random.raw(2 * count).reshape(count, 2)
        pixels = partial(
            _sprinkled,
            rows=draws[:, 1] % size[0],
            columns=draws[:, 0] % size[1],
            values=self._values,
        )
        return [*self._before, pixels, *self._after]


def _decolorized(image: Pixels) -> Pixels:
    import cv2

    opencv.needs_colours(image, "noise_param: decolorize")
    return np.asarray(cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR))


def _blurred(image: Pixels) -> Pixels:
    import cv2

    return np.asarray(cv2.GaussianBlur(image, (7, 7), 1.5))


def _equalized(image: Pixels) -> Pixels:
    import cv2

    return _in_brightness(image, cv2.equalizeHist)


def _clahe(image: Pixels) -> Pixels:
    import cv2

    return _in_brightness(image, cv2.createCLAHE(clipLimit=CLIP_LIMIT).apply)


def _in_brightness(image: Pixels, change: Callable[[Any], Any]) -> Pixels:
    """Change a gray image, or the Y channel of a coloured one."""
    import cv2

    if image.ndim == 2:
        return np.asarray(change(image))
    planes = list(cv2.split(cv2.cvtColor(image, cv2.COLOR_BGR2YCrCb)))
    planes[0] = change(planes[0])
    return np.asarray(cv2.cvtColor(cv2.merge(planes), cv2.COLOR_YCrCb2BGR))


def _compressed(image: Pixels, *, quality: int) -> Pixels:
    """Through a JPEG; a gray image comes back as a coloured one."""
    import cv2

    content = opencv.encode(image, "jpg", quality=quality)
    return np.asarray(cv2.imdecode(np.frombuffer(content or b"", np.uint8), cv2.IMREAD_COLOR))


def _eroded(image: Pixels) -> Pixels:
    import cv2

    return np.asarray(
        cv2.erode(image, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3), (1, 1)))
    )


def _posterized(image: Pixels) -> Pixels:
    import cv2

    values = np.arange(256)
    return np.asarray(
        cv2.LUT(image, (values // COLOURS_LEFT * COLOURS_LEFT + COLOURS_LEFT // 2).astype(np.uint8))
    )


def _sprinkled(image: Pixels, *, rows: Places, columns: Places, values: list[float]) -> Pixels:
    channels = 1 if image.ndim == 2 else image.shape[2]
    if len(values) not in (1, channels):
        raise DataError(
            f"noise_param: saltpepper_param has {len(values)} values; needed: 1, or as many as"
            f" channels, {channels}"
        )
    sprinkled = image.copy()
    sprinkled[rows, columns] = (
        np.array(values).astype(np.int64).astype(np.uint8) if channels > 1 else int(values[0]) & 255
    )
    return sprinkled


def _hsv(image: Pixels) -> Pixels:
    import cv2

    opencv.needs_colours(image, "noise_param: convert_to_hsv")
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2HSV))


def _lab_bytes(image: Pixels) -> Pixels:
    """Lab as SSD has it.

    SSD converts to a float image and then reads its rows as if they were bytes. Nets were trained
    on these values.
    """
    import cv2

    opencv.needs_colours(image, "noise_param: convert_to_lab")
    lab = np.asarray(
        cv2.cvtColor(image.astype(np.float32) * np.float32(1 / 255), cv2.COLOR_BGR2Lab), np.float32
    )
    return lab.view(np.uint8).reshape(len(image), -1)[:, : image[0].size].reshape(image.shape)
