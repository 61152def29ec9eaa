"""``resize_and_crop_images``: images to squares of one size, as for ImageNet.

It is a script of Caffe's tools/extra.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from caffepy import log
from caffepy.data import opencv
from caffepy.data.convert import Progress, no_progress
from caffepy.data.image_file import read
from caffepy.data.list_files import read_bytes
from caffepy.data.workers import in_order
from caffepy.errors import NUL_IN_NAME, DataError, UsageError

PLACE = "resize_and_crop_images.py:0"
LABEL = re.compile(rb"\s+[+-]?\d+$")
PIL_QUALITY = 75


@dataclass(frozen=True)
class Options:
    """The flags of the script, under its names for them."""

    input: str
    input_folder: str = ""
    output_folder: str = ""
    output_side_length: int = 256
    image_lib: str = "opencv"
    num_clients: int = 0


def convert(options: Options, *, progress: Progress = no_progress) -> int:
    """Write the squares and log what could not be read; returns the number of squares.

    DataError if the list or the folder cannot be used.
    """
    if options.output_side_length < 1:
        raise UsageError(f"-output_side_length {options.output_side_length}: needed: at least 1")
    if options.num_clients < 0:
        raise UsageError(f"-num_clients {options.num_clients}: needed: 0 or more")
    square = WITH.get(options.image_lib.lower())
    if square is None:
        raise UsageError(f"-image_lib {options.image_lib}: needed: OpenCV or PIL")
    names = read_names(options)

    def work(name: str) -> bool:
        if "\0" in name:
            log.error(PLACE, f"{name!r}: {NUL_IN_NAME}")
            return False
        source = os.path.join(options.input_folder, name)
        target = os.path.join(options.output_folder, name)
        try:
            os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
            square(source, target, options.output_side_length)
        except OSError as error:
            log.error(PLACE, f"{error.filename or source}: {error.strerror or error}")
            return False
        return True

    began = time.monotonic()
    count = 0
    for i, done in enumerate(in_order(work, names, threads=options.num_clients or None)):
        count += done
        progress(i + 1, len(names))
    rate = f"; {log.rate(count / max(time.monotonic() - began, 1e-9))} images/s" if count else ""
    log.info(
        PLACE,
        f"{count} of {len(names)} images were written to {options.output_folder or '.'}{rate}",
    )
    return count


def read_names(options: Options) -> list[str]:
    """The names in the list, relative to the input folder, without labels and empty lines."""
    try:
        content = read_bytes(options.input)
    except OSError as error:
        raise DataError(
            f"image list '{options.input}': {error.strerror} (looked in {os.getcwd()})"
        ) from None
    lines = [LABEL.sub(b"", line.strip()) for line in content.split(b"\n")]
    names = [
        os.fsdecode(line).replace(options.input_folder, "", 1).lstrip("/") for line in lines if line
    ]
    if not names:
        raise DataError(f"image list '{options.input}' names no image")
    return names


def with_opencv(source: str, target: str, side: int) -> None:
    """Resize the shorter side to ``side`` and cut out the middle.

    OSError if the image cannot be read or written.
    """
    image = read(source, color=True)
    if image is None:
        raise OSError(0, opencv.why_unreadable(source), source)
    height, width = image.shape[:2]
    tall, wide = (
        (side * height // width, side) if height > width else (side, side * width // height)
    )
    image = opencv.resize(image, tall, wide)
    top, left = (tall - side) // 2, (wide - side) // 2
    content = opencv.encode(
        image[top : top + side, left : left + side], os.path.splitext(target)[1].removeprefix(".")
    )
    if content is None:
        raise OSError(0, "OpenCV writes no images of this kind", target)
    with open(target, "wb") as file:
        file.write(content)


def with_pil(source: str, target: str, side: int) -> None:
    """Cut out the middle square, resize it by Pillow and write it as JPEG.

    OSError if the image cannot be read or written.
    """
    from PIL import Image, ImageOps

    with Image.open(source) as image:
        square = ImageOps.fit(image.convert("RGB"), (side, side), Image.Resampling.LANCZOS)
    square.save(target, "JPEG", quality=PIL_QUALITY)


WITH: dict[str, Callable[[str, str, int], None]] = {"opencv": with_opencv, "pil": with_pil}
"""Functions that make a square of an image, by -image_lib."""
