"""``convert_imageset``: image files named in a list, to a database of Datums."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from caffepy import log
from caffepy.data import opencv
from caffepy.data.convert import Progress, no_progress
from caffepy.data.datum import encode
from caffepy.data.image_file import decode
from caffepy.data.list_files import Entry, Pair, read_list
from caffepy.data.random import Mt19937
from caffepy.data.stores import open_write
from caffepy.data.workers import in_order
from caffepy.errors import DataError
from caffepy.proto.atomic import open_no_pipe

PLACE = "convert_imageset.cpp"
LOG_EVERY = 1000


@dataclass(frozen=True)
class Options:
    """The flags of the program, under its names for them."""

    gray: bool = False
    shuffle: bool = False
    backend: str = "lmdb"
    resize_width: int = 0
    resize_height: int = 0
    check_size: bool = False
    encoded: bool = False
    encode_type: str = ""
    skip_bad: bool = True


Item = TypeVar("Item", Entry, Pair)
Listed = TypeVar("Listed", Entry, Pair, contravariant=True)


@dataclass(frozen=True)
class Record:
    """An image as a Datum's bytes. ``size``: number of values of the decoded image."""

    value: bytes
    size: int


class RecordReader(Protocol[Listed]):
    """Makes the record of a line of a list; several threads use it."""

    root: bytes

    @property
    def options(self) -> Options:
        """The flags of the program."""

    def record(self, entry: Listed) -> Record | None:
        """The record; None, after an error line, if its image cannot be read."""


def convert(
    root: str, list_file: str, db: str, options: Options, *, progress: Progress = no_progress
) -> int:
    """Write ``db`` and log what could not be read; returns the number of images written.

    DataError, and no database, if it cannot be written, if an image has another size
    (``check_size``) or, without ``skip_bad``, cannot be read.
    """
    check_encode_type(options)
    reader = Reader(os.fsencode(root), options)
    return store(reader, _entries(list_file, options), db, place=PLACE, progress=progress)


def check_encode_type(options: Options) -> None:
    """DataError if OpenCV cannot write images of this type."""
    if (
        options.encode_type
        and opencv.encode(np.zeros((1, 1), np.uint8), options.encode_type) is None
    ):
        raise DataError(
            f"-encode_type {options.encode_type}: OpenCV writes no such images; needed: jpg,"
            " png, bmp, ..."
        )


def store(
    reader: RecordReader[Item],
    entries: Sequence[Item],
    db: str,
    *,
    place: str,
    progress: Progress = no_progress,
) -> int:
    """Write the records of ``entries``, as `convert` says.

    ``place``: the program's file in log lines.
    """
    options = reader.options
    height, width = options.resize_height, options.resize_width
    if (height or width) and not (height > 0 and width > 0):
        log.warning(
            f"{place}:0",
            f"-resize_height {height} -resize_width {width}: images keep their sizes; needed:"
            " both above 0",
        )
    log.info(f"{place}:89", f"A total of {len(entries)} images.")
    if options.encode_type and not options.encoded:
        log.info(f"{place}:92", "encode_type specified, assuming encoded=true.")
    began = time.monotonic()
    count = 0
    bad = 0
    size = 0
    with open_write(db, options.backend) as writer:
        for i, (entry, record) in enumerate(zip(entries, in_order(reader.record, entries))):
            progress(i + 1, len(entries))
            if record is None:
                bad += bool(entry.name)  # an empty line names no image
                continue
            if options.check_size and size not in (0, record.size):
                raise DataError(
                    f"'{os.fsdecode(reader.root + entry.name)}': Incorrect data field size"
                    f" {record.size}; needed: {size}, as the first "
                    "image (-check_size); give -resize_width and -resize_height"
                )
            size = record.size
            writer.put(b"%08d_%s" % (i, entry.name), record.value)
            count += 1
            if count % LOG_EVERY == 0:
                log.info(f"{place}:147", f"Processed {count} files.")
    if count % LOG_EVERY:
        log.info(f"{place}:153", f"Processed {count} files.")
    named = [entry.name for entry in entries if entry.name]
    _sum_up(place, named, reader.root, count, bad, time.monotonic() - began)
    if not named:
        log.error(f"{place}:153", f"no image was stored, as the list names none: {db} is empty")
    return count


def shuffled(entries: Sequence[Item], place: str) -> list[Item]:
    """The entries in random order."""
    log.info(f"{place}:86", "Shuffling data")
    order = Mt19937(int.from_bytes(os.urandom(4), "little")).shuffle(np.arange(len(entries)))
    return [entries[i] for i in order]


def _entries(list_file: str, options: Options) -> list[Entry]:
    try:
        entries = read_list(list_file, where=f"{PLACE}:77")
    except OSError as error:
        message = (
            f"image list '{list_file}' cannot be read: {error.strerror} (looked in {os.getcwd()})"
        )
        if not options.skip_bad:
            raise DataError(message) from error
        log.error(f"{PLACE}:77", message)  # Caffe makes an empty database of it
        entries = []
    return shuffled(entries, PLACE) if options.shuffle else entries


def _sum_up(
    place: str, names: Sequence[bytes], root: bytes, count: int, bad: int, seconds: float
) -> None:
    message = f"{count} of {len(names)} images were stored"
    if bad:
        message += f", {bad} could not be read"
    if count:
        log.info(f"{place}:153", f"{message}; {log.rate(count / max(seconds, 1e-9))} images/s")
    elif names:
        hint = os.fsdecode(root + names[0])
        log.error(
            f"{place}:153",
            f"{message}; ROOTFOLDER and the names are joined as they are, without a slash"
            f" between: '{hint}'",
        )


class Reader:
    """Image files to records; several threads use it."""

    def __init__(self, root: bytes, options: Options) -> None:
        self.root = root
        self.options = options
        self._keeps_file = not options.resize_height and not options.resize_width

    def record(self, entry: Entry) -> Record | None:
        """The record of one line of the list.

        None, after an error line, if its image cannot be read.
        """
        read = self.read(entry.name)
        return None if read is None else self.datum(*read, name=entry.name, label=entry.label)

    def read(self, name: bytes) -> tuple[bytes, opencv.Pixels] | None:
        """An image file and its pixels; None, after an error line, if it cannot be read."""
        if not name:
            return None
        path = self.root + name
        try:
            with open_no_pipe(path) as file:
                content = file.read()
        except (OSError, ValueError):  # ValueError: a NUL in the name
            content = b""
        image = decode(content, not self.options.gray, name=os.fsdecode(path))
        if image is None:
            error = opencv.unreadable(path)
            if not self.options.skip_bad:
                raise DataError(f"{error} (-skip_bad=false)")
            log.error("io.cpp:80", str(error))
            return None
        return content, image

    def datum(self, content: bytes, image: opencv.Pixels, *, name: bytes, label: int) -> Record:
        """A Datum of pixels or, encoded, of an image file."""
        options = self.options
        image = opencv.resize(image, options.resize_height, options.resize_width)
        if not options.encoded and not options.encode_type:
            return raw_record(image, label)
        return Record(
            encode(self._file(content, image, self.root + name), label=label, encoded=True),
            image.size,
        )

    def _file(self, content: bytes, image: opencv.Pixels, path: bytes) -> bytes:
        """The bytes of an image file: those that were read, if they are of the requested kind."""
        kind = self.options.encode_type or self._guess(path)
        if (
            self._keeps_file
            and _same_kind(os.fsdecode(path), kind)
            and (not self.options.gray or _is_gray(content))
        ):
            return content
        made = opencv.encode(image, kind)
        if made is None:
            raise DataError(
                f"'{os.fsdecode(path)}': OpenCV cannot write it as '{kind}'; give -encode_type"
                " png or jpg"
            )
        return made

    def _guess(self, path: bytes) -> str:
        name = os.fsdecode(path[len(self.root) :])
        _, dot, extension = name.rpartition(".")
        if not dot:
            log.warning(f"{PLACE}:111", f"Failed to guess the encoding of '{name}'")
        return extension.lower()


def raw_record(image: opencv.Pixels, label: int) -> Record:
    """A Datum of pixels, (H, W) or (H, W, 3)."""
    planes = opencv.planes(opencv.channels_first(image))
    return Record(
        encode(planes.data.cast("B"), shape=planes.shape, label=label, encoded=False), image.size
    )


def _same_kind(name: str, kind: str) -> bool:
    extension = name.rpartition(".")[2].lower()
    kind = kind.lower()
    return extension == kind or (kind == "jpg" and extension == "jpeg")


def _is_gray(content: bytes) -> bool:
    """Whether an image file has one channel, for a reader that does not convert it."""
    image = decode(content, None)
    return image is not None and image.ndim == 2
