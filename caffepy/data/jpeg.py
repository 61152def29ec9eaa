"""JPEGs decoded by simplejpeg, where it is installed: the rows of a crop and those above it.

OpenCV decodes whole pictures. Most of decoding is reading codes, which go from top to bottom, so
that a header with a smaller height ends it below the crop. The pixels are OpenCV's: both have them
from libjpeg-turbo.
"""

# H height, W width, C channels (blue, green, red)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

from caffepy import log
from caffepy.data.opencv import JPEG_END, JPEG_START, Buffer, Pixels, decode

Shape = tuple[int, int, int]

SEQUENTIAL, PROGRESSIVE = (0xC0, 0xC1), 0xC2
EXIF, SCAN = 0xE1, 0xDA
OTHER_FRAMES = (0xC3, *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0))
"""Lossless, differential and arithmetic JPEGs."""
MOST_PIXELS = 1 << 24
BELOW = 2
"""Rows below the crop that are decoded, too.

A row's colours may depend on the next row's, and the last of an odd number is half of a pair.
"""


@dataclass(frozen=True, slots=True)
class Header:
    """Size of a JPEG, and the ``place`` of its height, two bytes.

    ``turned``: may have an orientation, which OpenCV follows. ``sequential``: its codes go from top
    to bottom once.
    """

    place: int
    height: int
    width: int
    channels: int
    turned: bool
    sequential: bool


def read_header(content: Buffer) -> Header | None:
    """The header of a complete JPEG of 8 bits, gray or in colours; None for any other."""
    if bytes(content[:3]) != JPEG_START or bytes(content[-2:]) != JPEG_END:
        return None
    at = 2
    frame = 0  # its place
    turned = False
    try:
        while content[at] == 0xFF:
            kind = content[at + 1]
            if kind == SCAN:
                return _header(content, frame, turned=turned) if frame else None
            if kind in OTHER_FRAMES:
                return None
            if kind in SEQUENTIAL or kind == PROGRESSIVE:
                frame = at
            turned = turned or kind == EXIF
            at += 2 + (content[at + 2] << 8 | content[at + 3])
    except IndexError:
        pass
    return None


def _header(content: Buffer, frame: int, *, turned: bool) -> Header | None:
    """What the segment at ``frame`` tells."""
    height, width = (content[i] << 8 | content[i + 1] for i in (frame + 5, frame + 7))
    channels = content[frame + 9]
    if content[frame + 4] != 8 or channels not in (1, 3) or not height:
        return None
    return Header(frame + 5, height, width, channels, turned, content[frame + 1] in SEQUENTIAL)


class JpegDecoder:
    """Decodes JPEGs."""

    def __init__(self, decode_jpeg: Callable[..., Any]) -> None:
        """``decode_jpeg``: that of simplejpeg."""
        self._decode = decode_jpeg

    def decode(
        self, content: Buffer, color: bool | None, bottom: Callable[[Shape], int] | None = None
    ) -> Pixels | None:
        """Pixels as of `opencv.decode`, those from ``bottom`` on undefined.

        ``bottom``: tells for a shape (C, H, W) how many rows are needed, by default all. None for
        what is no plain JPEG, or a damaged one.
        """
        header = read_header(content)
        if header is None or header.height * header.width > MOST_PIXELS:
            return None
        if header.turned and color is not None:
            return None
        channels = 1 if color is False else 3 if color else header.channels
        shape = (header.height, header.width, channels)
        cut = False
        if bottom is not None:
            rows = bottom((channels, header.height, header.width)) + BELOW
            cut = header.sequential and rows < header.height
        if cut:
            at = header.place
            content = b"".join((content[:at], rows.to_bytes(2, "big"), content[at + 2 :]))
        image: Pixels = np.empty(shape, np.uint8)
        try:
            # what is below the cut would be an error if it were strict
            self._decode(content, "GRAY" if channels == 1 else "BGR", buffer=image, strict=not cut)
        except ValueError:
            return None
        return image[:, :, 0] if channels == 1 else image


@lru_cache(maxsize=1)
def open_decoder() -> JpegDecoder | None:
    """A decoder; None where simplejpeg is not installed, or its pixels are not OpenCV's."""
    try:
        from simplejpeg import decode_jpeg
    except ImportError:
        return None
    decoder = JpegDecoder(decode_jpeg)
    return decoder if _agrees(decoder) else None


def _agrees(decoder: JpegDecoder) -> bool:
    """Whether small pictures of each kind have the same pixels as OpenCV's."""
    import cv2

    picture = np.random.default_rng(0).integers(0, 256, (70, 60, 3), np.uint8)
    for sampling in (0x111111, 0x211111, 0x221111):
        for progressive in (0, 1):
            settings = [
                cv2.IMWRITE_JPEG_SAMPLING_FACTOR,
                sampling,
                cv2.IMWRITE_JPEG_PROGRESSIVE,
                progressive,
            ]
            content = cv2.imencode(".jpg", picture, settings)[1].tobytes()
            for color, cut in ((True, 0), (False, 0), (True, 39), (True, 38)):
                rows = 70 - cut
                found = decoder.decode(content, color, partial(_above, cut))
                needed = decode(content, color)
                if found is None or needed is None:
                    return False
                if not np.array_equal(found[:rows], needed[:rows]):
                    log.warning("io.cpp:80", "simplejpeg is not used: its pixels are not OpenCV's")
                    return False
    return True


def _above(cut: int, shape: Shape) -> int:
    """Rows of an image (C, H, W) without the last ``cut``."""
    return shape[1] - cut
