"""The window file of R-CNN: images, and boxes in them with class and overlap."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass

import numpy as np

from caffepy import log
from caffepy.data.window_crop import Box
from caffepy.errors import DataError


@dataclass(frozen=True, slots=True)
class Window:
    """A box in image number ``image``; label 0 is background."""

    image: int
    label: int
    box: Box


@dataclass(frozen=True)
class WindowFile:
    """What a window file holds. ``channels``: of its last image, for all of them."""

    images: tuple[str, ...]
    channels: int
    foreground: tuple[Window, ...]
    background: tuple[Window, ...]


def read_windows(source: str, root: str, *, foreground: float, background: float) -> WindowFile:
    """Read a window file: ``# index path channels height width count``, then ``class overlap x1 y1 x2 y2`` for each window.

    A window whose overlap is at least ``foreground`` is foreground of its class, below ``background`` it is background, and
    between them it is not used. DataError if the file cannot be read or one of the two kinds is missing.
    """
    try:
        with open(source, "rb") as file:
            words = iter([os.fsdecode(word) for word in file.read().split()])
    except OSError as error:
        raise DataError(f"Failed to open window file {source}: {error.strerror} (looked in {os.getcwd()})") from error
    log.info("window_data_layer.cpp:40", "Window data layer:")
    images: list[str] = []
    kinds: tuple[list[Window], list[Window]] = ([], [])
    channels = 0
    try:
        for mark in words:
            if mark != "#":
                raise DataError(f"window file '{source}', image {len(images)}: '#' is needed, '{mark}' was found")
            next(words)
            images.append(root + next(words))
            channels, _, _, count = (int(next(words)) for _ in range(4))
            for _ in range(count):
                label, overlap = int(next(words)), np.float32(next(words))
                x1, y1, x2, y2 = (int(float(next(words))) for _ in range(4))
                if overlap >= np.float32(foreground):
                    if label <= 0:
                        raise DataError(f"window file '{source}', image {len(images) - 1}: a foreground window of class {label}")
                    kinds[1].append(Window(len(images) - 1, label, (x1, y1, x2, y2)))
                elif overlap < np.float32(background):
                    kinds[0].append(Window(len(images) - 1, 0, (x1, y1, x2, y2)))
    except (StopIteration, ValueError, RuntimeError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"window file '{source}', image {max(0, len(images) - 1)}: it ends early, or a number is none") from error
    for windows, name, bound in ((kinds[1], "foreground", f"at least {foreground:g}"), (kinds[0], "background", f"below {background:g}")):
        if not windows:
            raise DataError(f"window file '{source}' has no {name} window (overlap {bound})")
    log.info("window_data_layer.cpp:130", f"Number of images: {len(images)}")
    for label, number in sorted(Counter(window.label for kind in kinds for window in kind).items()):
        log.info("window_data_layer.cpp:134", f"class {label} has {number} samples")
    return WindowFile(tuple(images), channels, tuple(kinds[1]), tuple(kinds[0]))
