"""R-CNN's window files: images, and boxes in them with class and overlap."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from caffepy import log
from caffepy.data.window_crop import Box
from caffepy.errors import DataError
from caffepy.proto.atomic import open_file


@dataclass(frozen=True, slots=True)
class Window:
    """A box in image number ``image``; label 0 is background."""

    image: int
    label: int
    box: Box


@dataclass(frozen=True)
class WindowFile:
    """The content of a window file.

    ``channels``: those of its last image, used for all of them.
    """

    images: tuple[str, ...]
    channels: int
    foreground: tuple[Window, ...]
    background: tuple[Window, ...]


def read_windows(source: str, root: str, *, foreground: float, background: float) -> WindowFile:
    """Read a window file.

    For each image it has ``# index path channels height width count``, then for each window ``class
    overlap x1 y1 x2 y2``. A window whose overlap is at least ``foreground`` is foreground of its
    class; below ``background`` it is background; between them it is not used.

    DataError if the file cannot be read or one of the two kinds is missing.
    """
    try:
        with open_file(source) as file:
            log.info("window_data_layer.cpp:40", "Window data layer:")
            windows_read = _read(
                _Words(source, file),
                root,
                foreground=np.float32(foreground),
                background=np.float32(background),
            )
    except OSError as error:
        raise DataError(
            f"Failed to open window file {source}: {error.strerror} (looked in {os.getcwd()})"
        ) from error
    for windows, name, bound in (
        (windows_read.foreground, "foreground", f"at least {foreground:g}"),
        (windows_read.background, "background", f"below {background:g}"),
    ):
        if not windows:
            raise DataError(f"window file '{source}' has no {name} window (overlap {bound})")
    log.info("window_data_layer.cpp:130", f"Number of images: {len(windows_read.images)}")
    for label, number in sorted(
        Counter(
            window.label for window in (*windows_read.background, *windows_read.foreground)
        ).items()
    ):
        log.info("window_data_layer.cpp:134", f"class {label} has {number} samples")
    return windows_read


def _read(
    words: _Words, root: str, *, foreground: np.float32, background: np.float32
) -> WindowFile:
    images: list[str] = []
    kinds: tuple[list[Window], list[Window]] = ([], [])
    channels = 0
    while mark := words.take(or_end=True):
        if mark != "#":
            raise words.unfit(repr(mark), "#")
        words.take()
        images.append(root + words.take())
        channels, _, _, count = (words.integer() for _ in range(4))
        for _ in range(count):
            label = words.integer()
            overlap = np.float32(words.number())
            x1, y1, x2, y2 = (int(words.number()) for _ in range(4))
            if overlap >= foreground:
                if label <= 0:
                    raise words.unfit(f"a foreground window of class {label}", "1 or more")
                kinds[1].append(Window(len(images) - 1, label, (x1, y1, x2, y2)))
            elif overlap < background:
                kinds[0].append(Window(len(images) - 1, 0, (x1, y1, x2, y2)))
    return WindowFile(tuple(images), channels, tuple(kinds[1]), tuple(kinds[0]))


class _Words:
    """The words of a window file, one after the other.

    What does not fit is a DataError with its line.
    """

    def __init__(self, source: str, lines: Iterable[bytes]) -> None:
        self._source = source
        self._line = 0
        self._words = (
            (word, number) for number, line in enumerate(lines, 1) for word in line.split()
        )

    def take(self, *, or_end: bool = False) -> str:
        """The next word; after the last, "" if ``or_end``."""
        word, self._line = next(self._words, (b"", self._line))
        if not word and not or_end:
            raise DataError(f"window file '{self._source}' ends early, on line {self._line}")
        return os.fsdecode(word)

    def integer(self) -> int:
        word = self.take()
        try:
            return int(word)
        except ValueError:
            raise self.unfit(
                repr(word), "an integer; names of images have no spaces here"
            ) from None

    def number(self) -> float:
        word = self.take()
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if not abs(number) < 2**31:  # NaN is refused too
            raise self.unfit(repr(word), "a number")
        return number

    def unfit(self, found: str, needed: str) -> DataError:
        return DataError(
            f"window file '{self._source}', line {self._line}: {found} found; needed: {needed}"
        )
