"""Flags about pictures: where the commands that draw write theirs, and the factor of pixels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import click

from caffepy.errors import UsageError

C = TypeVar("C", bound=Callable[..., object])

ENDINGS = ("dot", "eps", "gv", "jpeg", "jpg", "pdf", "png", "svg", "tif", "tiff", "webp")


def out_flag(words: str) -> Callable[[C], C]:
    """Decorator below ``@click.command``: adds -out, passed on as the keyword ``out``.

    ``words``: about it, for the help.
    """
    return click.option("-out", "--out", default="", metavar="FILE", help=words)


def check_scale(scale: float) -> None:
    """UsageError if -scale is no number that pixels can be multiplied by."""
    if not math.isfinite(scale):
        raise UsageError(f"-scale {scale:g}: needed: a number such as 0.00390625")


def is_picture(name: str) -> bool:
    """Whether a file's name ends as a picture's does."""
    return Path(name).suffix.lower().removeprefix(".") in ENDINGS


def picture_among(words: Sequence[str], out: str) -> tuple[str, tuple[str, ...]]:
    """The picture to write, and the other ``words``, which are read.

    The picture is ``out``, else the last or first word, if it has a picture's ending; else empty.
    """
    if not out and len(words) > 1:
        if is_picture(words[-1]):
            return words[-1], tuple(words[:-1])
        if is_picture(words[0]):
            return words[0], tuple(words[1:])
    return out, tuple(words)
