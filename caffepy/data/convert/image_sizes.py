"""``get_image_size``: names and sizes in pixels of images, for SSD's evaluation."""

from __future__ import annotations

import os
import time
from pathlib import Path

from caffepy import log
from caffepy.data import opencv
from caffepy.data.convert import Progress, log_speed, no_progress
from caffepy.data.image_file import read
from caffepy.data.list_files import Pair, read_pairs
from caffepy.data.opencv import Pixels
from caffepy.data.workers import in_order
from caffepy.errors import DataError
from caffepy.proto.atomic import atomic_write
from caffepy.proto.output_files import refuse_overwriting

PLACE = "get_image_size.cpp"


def write_sizes(
    root: str,
    list_file: str,
    out_file: str,
    *,
    name_id_file: str = "",
    progress: Progress = no_progress,
) -> None:
    """Write a line ``name height width`` for each image.

    The name is the file's without its extension, or its number in ``name_id_file``. DataError for a
    list, an image or a file of numbers that cannot be used.
    """
    refuse_overwriting(out_file, list_file, name_id_file)
    pairs = read_pairs(list_file)
    log.info(f"{PLACE}:67", f"A total of {len(pairs)} images.")
    numbers = _numbers(name_id_file, len(pairs)) if name_id_file else None

    def line(pair: Pair) -> str:
        path = os.path.join(root, os.fsdecode(pair.name))
        height, width = _read(path).shape[:2]
        name = Path(path).stem
        if numbers is not None and name not in numbers:
            raise DataError(
                f"name_id_file '{name_id_file}' has no number for '{name}' (line"
                f" {pair.line + 1} of '{list_file}')"
            )
        return f"{name if numbers is None else numbers[name]} {height} {width}\n"

    began = time.monotonic()
    lines = list[str]()
    for made in in_order(line, pairs):
        lines.append(made)
        progress(len(lines), len(pairs))
    with atomic_write(Path(out_file), error=DataError) as temporary:
        temporary.write_text("".join(lines), encoding="utf-8", errors="surrogateescape")
    log.info(f"{PLACE}:114", f"Processed {len(lines)} files.")
    log_speed(f"{PLACE}:114", len(lines), began)


def _read(path: str) -> Pixels:
    image = read(path, True)
    if image is None:
        raise opencv.unreadable(path)
    return image


def _numbers(path: str, count: int) -> dict[str, int]:
    try:
        words = Path(path).read_text(encoding="utf-8", errors="surrogateescape").split()
    except OSError as error:
        raise DataError(f"name_id_file '{path}' cannot be read: {error.strerror}") from error
    numbers: dict[str, int] = {}
    for place in range(0, len(words), 2):
        name, *number = words[place : place + 2]
        try:
            numbers[name] = int(number[0])
        except (IndexError, ValueError):
            said = " ".join([name, *number])
            raise DataError(
                f"name_id_file '{path}', word {place + 1}: '{said}'; needed: a name and an"
                " integer, two by two"
            ) from None
    if len(numbers) != count or len(words) != 2 * count:
        raise DataError(
            f"name_id_file '{path}' has {len(words) // 2} lines for {len(numbers)} names,"
            f" the list {count}; needed: each name once"
        )
    return numbers
