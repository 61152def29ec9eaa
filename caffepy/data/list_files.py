"""Lists of images and labels: ``name label`` on each line."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from caffepy import log
from caffepy.errors import DataError
from caffepy.proto.atomic import open_file
from caffepy.proto.file_kind import as_utf8

_ATOI = re.compile(rb"[ \t\n\v\f\r]*([+-]?)0*(\d{0,20})")
_INTEGER = re.compile(rb"[ \t]*[+-]?0{0,999}\d{1,10}[ \t]*")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: the name (bytes, as in the file system), the label, and its number from 0."""

    name: bytes
    label: int
    line: int


@dataclass(frozen=True, slots=True)
class Pair:
    """An image and its label image, or its label, as bytes; and the line's number from 0."""

    name: bytes
    label: bytes
    line: int


@dataclass(frozen=True, slots=True)
class Video:
    """A folder of frames or a video (bytes), a number, the label, and the line's number from 0.

    ``frames``: how many there are, or the first of a clip.
    """

    name: bytes
    frames: int
    label: int
    line: int


def read_list(path: str, *, where: str) -> list[Entry]:
    """The lines of a list; an empty line has an empty name.  OSError if it cannot be read.

    As in Caffe the name ends at the last space, or at the last tab if there is no space. The label
    is what C's ``atoi`` makes of the rest: 0 for words, digits before a point, 32 bits. A warning
    names the first label that is no such integer; ``where`` is its place in the log. A byte order
    mark and carriage returns are no part of names.
    """
    lines = read_bytes(path).split(b"\n")
    if lines[-1] == b"":
        lines.pop()  # the text after the last line end is no line
    entries = []
    odd: list[int] = []
    for number, raw in enumerate(lines):
        line = raw.rstrip(b"\r")
        name, separator, label = line.rpartition(b" ")
        if not separator:
            name, separator, label = line.rpartition(b"\t")
        if not separator:
            name = label = line  # no label: Caffe takes the whole line for both
        entries.append(Entry(name, atoi(label), number))
        if line and not (_INTEGER.fullmatch(label) and int(label) == entries[-1].label):
            odd.append(number)
    if odd:
        more = f" and {len(odd) - 1} more lines" if len(odd) > 1 else ""
        text = lines[odd[0]].decode(errors="replace").strip()
        log.warning(
            where,
            f"{path}, line {odd[0] + 1}{more}: '{text}' does not end in an integer label of"
            " 32 bits; Caffe's reading of it is used",
        )
    return entries


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a text file without a byte order mark, in UTF-8 if it was in UTF-16.

    OSError if it cannot be read.
    """
    with open_file(path) as file:
        return as_utf8(file.read())


def read_images(path: str, *, where: str) -> list[Entry]:
    """The lines of a list that name an image.

    DataError if there is none or the list cannot be read.
    """
    try:
        entries = [entry for entry in read_list(path, where=where) if entry.name]
    except OSError as error:
        raise _unreadable(path, error) from error
    if not entries:
        raise _empty(path)
    return entries


def read_lines(path: str, *, labelled: bool) -> list[Pair]:
    """The first word of each line as the image, the second as its label.

    The label is empty if there is none, or if not ``labelled``. Further words and empty lines are
    ignored. DataError if no image is named or the list cannot be read.
    """
    lines = [(number, line.split()) for number, line in _filled_lines(path)]
    return [
        Pair(words[0], words[1] if labelled and len(words) > 1 else b"", number)
        for number, words in lines
    ]


def read_pairs(path: str) -> list[Pair]:
    """The words of a list as pairs: an image and its label image.

    DataError if there is no pair, an odd number of words, or no such list.
    """
    words = [(word, number) for number, line in _filled_lines(path) for word in line.split()]
    if len(words) % 2:
        word, number = words[-1]
        raise DataError(
            f"'{path}', line {number + 1}: '{os.fsdecode(word)}' is alone; needed: an image and"
            " its labels' file, two by two"
        )
    return [
        Pair(image, label, number) for (image, number), (label, _) in zip(words[::2], words[1::2])
    ]


def read_videos(path: str) -> list[Video]:
    """Lines of a folder, its number of frames and a label; empty lines are ignored.

    DataError for other lines, or if there is no such list.
    """
    videos = []
    for number, line in _filled_lines(path):
        words = line.split()
        if len(words) != 3 or not all(map(_INTEGER.fullmatch, words[1:])) or int(words[1]) < 1:
            found = line.decode(errors="replace").strip()
            raise DataError(
                f"'{path}', line {number + 1}: '{found}'; needed: a folder, its number of"
                " frames and a label"
            )
        videos.append(Video(words[0], int(words[1]), int(words[2]), number))
    return videos


def read_clips(path: str, *, starts: bool) -> list[Video]:
    """Lines of a video, where its clip begins (with ``starts``) and a label; C3D's lists.

    Empty lines are ignored. DataError for other lines, or if there is no such list.
    """
    clips = []
    for number, line in _filled_lines(path):
        name, *numbers = line.split()
        if len(numbers) != 1 + starts or not all(map(_INTEGER.fullmatch, numbers)):
            found = line.decode(errors="replace").strip()
            between = ", the number of its first frame" if starts else ""
            raise DataError(
                f"'{path}', line {number + 1}: '{found}'; needed: a video or a folder{between} and"
                " a label"
            )
        start = int(numbers[0]) if starts else 0
        if start < 0:
            raise DataError(f"'{path}', line {number + 1}: starts at frame {start}; needed: 0 on")
        clips.append(Video(name, start, int(numbers[-1]), number))
    return clips


def _filled_lines(path: str) -> list[tuple[int, bytes]]:
    """The lines that have words, with their numbers from 0.

    DataError if there is none or the list cannot be read.
    """
    try:
        content = read_bytes(path)
    except OSError as error:
        raise _unreadable(path, error) from error
    lines = [(number, line) for number, line in enumerate(content.split(b"\n")) if line.split()]
    if not lines:
        raise _empty(path)
    return lines


def _unreadable(path: str, error: OSError) -> DataError:
    return DataError(
        f"File is empty: image list '{path}' cannot be read: {error.strerror} (looked in"
        f" {os.getcwd()})"
    )


def _empty(path: str) -> DataError:
    return DataError(f"File is empty: image list '{path}' names no image")


def atoi(text: bytes) -> int:
    """C's ``atoi`` for an int of 32 bits: leading digits, wrapped; 0 if there are none."""
    found = _ATOI.match(text)
    number = int(found[1] + (found[2] or b"0")) if found else 0
    # glibc parses 64 bits and clamps there, then the low half is taken
    value = max(min(number, 2**63 - 1), -(2**63)) & 0xFFFFFFFF
    return value - 2**32 if value >= 2**31 else value
