"""OpenCV as Caffe uses it: pixels of image files, other sizes, planes and mirror images."""

# H height, W width, C channels (blue, green, red)

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from caffepy import log
from caffepy.errors import DataError, out_of_memory
from caffepy.proto.atomic import open_no_pipe

if TYPE_CHECKING:
    import cv2

Pixels: TypeAlias = npt.NDArray[np.uint8]
Buffer: TypeAlias = bytes | memoryview

Window: TypeAlias = tuple[int, int, int, int]
"""Top, left, height, width."""

Values = TypeVar("Values", bound=npt.NDArray[Any])

JPEG_START, JPEG_END = b"\xff\xd8\xff", b"\xff\xd9"
MOST_MARKS = 1 << 15
"""End marks that fill any segment of a JPEG.

At the end of a file libjpeg reads end marks for ever.
"""


def decode(content: Buffer, color: bool | None, *, name: str = "") -> Pixels | None:
    """Pixels of an image file's bytes; None if they are no image.

    ``color``: True for (H, W, 3), False for (H, W). None: as the file is, (H, W) or (H, W, 3 or 4).
    16-bit samples are cut to their high byte, alpha is dropped, and EXIF orientation is applied
    (not for None), as OpenCV does.

    The missing part of a truncated JPEG is gray; a warning names it ``name``. MemoryError where
    there is too little memory.
    """
    import cv2

    if not len(content):
        return None
    flag = cv2.IMREAD_COLOR if color else cv2.IMREAD_GRAYSCALE
    if color is None:
        flag = cv2.IMREAD_UNCHANGED
    image = _imdecode(content, flag, name)
    if bytes(content[:3]) == JPEG_START and (image is None or _lacks_end(content)):
        # newer OpenCVs read a cut-off JPEG from a file, but from memory only if it has an end mark
        if image is None:
            image = _imdecode(bytes(content) + JPEG_END * MOST_MARKS, flag, name)
        if image is not None:
            log.warning(
                "io.cpp:80", f"{name or 'a JPEG image'} is truncated; the missing part is gray"
            )
    return image


def unreadable(path: str | bytes) -> DataError:
    """The error for an image file of a data set that cannot be read."""
    return DataError(f"Could not open or find file {os.fsdecode(path)}: {why_unreadable(path)}")


def why_unreadable(path: str | bytes) -> str:
    """Why an image file cannot be read, in a few words."""
    try:
        with open_no_pipe(path) as file:
            start = file.read(64)
    except (OSError, ValueError) as error:
        return (
            f"{getattr(error, 'strerror', error)}{_name_hint(os.fsencode(path))} (looked in"
            f" {os.getcwd()})"
        )
    return "it is no image that OpenCV knows" if start else "it is empty"


def _name_hint(path: bytes) -> str:
    """A hint for the name of a missing file, if a file with a similar name exists."""
    for name in (
        path.rstrip(),
        path.replace(b'"', b"").replace(b"\\ ", b" "),
        path.replace(b"\\", b"/"),
        path.split(b" ")[0],
    ):
        if name != path and b"\0" not in name and os.path.isfile(name):
            return (
                f", but '{os.fsdecode(name)}' exists; needed: a name as it is, one space and"
                " one integer on a line"
            )
    return ""


def resize(image: Pixels, height: int, width: int, *, nearest: bool = False) -> Pixels:
    """Resize bilinearly or to the nearest pixel.

    If one of the sizes is 0 the image stays as it is, as in Caffe.
    """
    import cv2

    if height <= 0 or width <= 0:
        return image
    resized: Any = cv2.resize(
        image, (width, height), interpolation=cv2.INTER_NEAREST if nearest else cv2.INTER_LINEAR
    )
    return np.asarray(resized, np.uint8)


def encode(image: Pixels, extension: str, *, quality: int | None = None) -> bytes | None:
    """An image file of this kind (``jpg``, ``png``...); None if OpenCV cannot write it.

    ``quality``: that of a JPEG, 0 to 100.
    """
    import cv2

    try:
        done, content = cv2.imencode(
            f".{extension}", image, [] if quality is None else [cv2.IMWRITE_JPEG_QUALITY, quality]
        )
    except cv2.error as error:
        _pass_on(error)
        return None
    return bytes(content) if done else None


def rounded(value: float | np.float32) -> int:
    """To the nearest integer, halves away from zero, as C's ``round``."""
    return int(math.copysign(math.floor(abs(float(value)) + 0.5), value))


def needs_colours(image: Pixels, what: str) -> None:
    """DataError for a gray image, (H, W)."""
    if image.ndim == 2:
        raise DataError(f"{what} of a gray image; needed: 3 channels, as force_color gives them")


def channels_first(image: Pixels) -> Pixels:
    """(H, W) or (H, W, C) as a view (C, H, W)."""
    return image[None] if image.ndim == 2 else image.transpose(2, 0, 1)


def planes(image: Values) -> Values:
    """(C, H, W) in C-contiguous memory: the image itself, or a copy."""
    import cv2

    if image.flags.c_contiguous:
        return image
    out: Any = np.empty_like(image, order="C")
    cv2.split(image.transpose(1, 2, 0), list(out))
    return cast("Values", out)


def flip(image: Values, window: Window, out: Values | None = None) -> Values:
    """A window of (C, H, W), C-contiguous, mirrored left to right, as a copy.

    ``out``: memory for it, (C * H, width).
    """
    import cv2

    channels, rows, columns = image.shape
    top, left, height, width = window
    # all planes in one call, with the rows that lie between two windows
    high = (channels - 1) * rows + height
    turned: Any = np.empty((channels * rows, width), image.dtype) if out is None else out
    cv2.flip(image.reshape(-1, columns)[top : top + high, left : left + width], 1, turned[:high])
    return cast("Values", turned.reshape(channels, rows, width)[:, :height])


def _lacks_end(content: Buffer) -> bool:
    """Whether a JPEG is truncated: it has no end mark. Cameras append data after the mark."""
    return bytes(content[-2:]) != JPEG_END and JPEG_END not in bytes(content)


def _imdecode(content: Buffer, flag: int, name: str) -> Pixels | None:
    import cv2

    try:
        image: Any = cv2.imdecode(np.frombuffer(content, np.uint8), flag)
    except cv2.error as error:
        _pass_on(error, name)
        return None
    return None if image is None else np.asarray(image)


def _pass_on(error: cv2.error, name: str = "") -> None:
    """MemoryError where OpenCV had too little memory, which is no fault of the image.

    ``error``: a cv2.error.
    """
    if out_of_memory(error):
        raise MemoryError(f"{name or 'an image'}: {error.err}") from error
