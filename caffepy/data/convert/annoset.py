"""``convert_annoset``: images and annotation files of a list, to a database of AnnotatedDatums."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caffepy.data import opencv
from caffepy.data.convert import Progress, no_progress
from caffepy.data.convert.annotation_files import READERS, Classes, read_annotations
from caffepy.data.convert.imageset import (
    Item,
    Options,
    Reader,
    Record,
    check_encode_type,
    raw_record,
    shuffled,
    store,
)
from caffepy.data.datum import encode
from caffepy.data.label_map import read_label_map
from caffepy.data.list_files import Entry, Pair, read_images, read_pairs
from caffepy.errors import DataError, nearest
from caffepy.proto.wire import varint

PLACE = "convert_annoset.cpp"
CLASSIFICATION, DETECTION = "classification", "detection"
DATUM_TAG = b"\x0a"
NO_LABEL = -1
"""The label in the Datum of an image with boxes."""


@dataclass(frozen=True)
class AnnosetOptions(Options):
    """The flags of the program, under its names for them."""

    anno_type: str = CLASSIFICATION
    label_type: str = "xml"
    label_map_file: str = ""
    check_label: bool = False
    min_dim: int = 0
    max_dim: int = 0


def convert(
    root: str, list_file: str, db: str, options: AnnosetOptions, *, progress: Progress = no_progress
) -> int:
    """Write ``db`` and log what could not be read; returns the number of images written.

    DataError, and no database, for a list, label map or annotation file that cannot be used, and as
    `imageset.convert` says.
    """
    _check(options)
    check_encode_type(options)
    if options.anno_type == CLASSIFICATION:
        entries = read_images(list_file, where=f"{PLACE}:105")
        return store(
            ClassReader(os.fsencode(root), options),
            _order(entries, options),
            db,
            place=PLACE,
            progress=progress,
        )
    classes = read_label_map(options.label_map_file, unique=options.check_label)
    pairs = _order(read_pairs(list_file), options)
    return store(
        BoxReader(AnnotatedReader(os.fsencode(root), options), classes),
        pairs,
        db,
        place=PLACE,
        progress=progress,
    )


def _check(options: AnnosetOptions) -> None:
    for name, found, known in (
        ("anno_type", options.anno_type, (CLASSIFICATION, DETECTION)),
        ("label_type", options.label_type, tuple(READERS)),
    ):
        if found not in known:
            raise DataError(f"-{name} {found}{nearest(found, known)}; needed: {' or '.join(known)}")
    if options.anno_type == DETECTION and not options.label_map_file:
        raise DataError(
            "-anno_type detection needs -label_map_file, with the names and numbers of the classes"
        )


def _order(entries: Sequence[Item], options: AnnosetOptions) -> Sequence[Item]:
    return shuffled(entries, PLACE) if options.shuffle else entries


class AnnotatedReader(Reader):
    """Image files to Datums.

    SSD writes the sizes even into Datums with an encoded image.
    """

    def __init__(self, root: bytes, options: AnnosetOptions) -> None:
        super().__init__(root, options)
        self.annoset = options
        # SSD's guess of a file's type begins with a point, so it never matches: images are
        # encoded again, there and here.
        self._keeps_file = (
            self._keeps_file
            and bool(options.encode_type)
            and not options.min_dim
            and not options.max_dim
        )

    def datum(self, content: bytes, image: opencv.Pixels, *, name: bytes, label: int) -> Record:
        """A Datum of pixels or, encoded, of an image file."""
        options = self.annoset
        image = self._resized(image)
        if not options.encoded and not options.encode_type:
            return raw_record(image, label)
        shape = (1 if image.ndim == 2 else image.shape[2], *image.shape[:2])
        return Record(
            encode(
                self._file(content, image, self.root + name), shape=shape, label=label, encoded=True
            ),
            image.size,
        )

    def _resized(self, image: opencv.Pixels) -> opencv.Pixels:
        """The image with sides of at least min_dim and at most max_dim, its aspect ratio kept."""
        import cv2

        options = self.annoset
        if options.min_dim <= 0 and options.max_dim <= 0:
            return opencv.resize(image, options.resize_height, options.resize_width)
        short, long = sorted(image.shape[:2])
        scale = np.float32(1)
        if short < options.min_dim:
            scale = np.float32(options.min_dim) / np.float32(short)
        if options.max_dim > 0 and int(scale * np.float32(long)) > options.max_dim:
            scale = np.float32(options.max_dim) / np.float32(long)
        return (
            image
            if scale == 1
            else np.asarray(cv2.resize(image, None, fx=float(scale), fy=float(scale)), np.uint8)
        )


class ClassReader(AnnotatedReader):
    """AnnotatedDatums with a label and no type."""

    def record(self, entry: Entry) -> Record | None:
        """The record of a line of the list.

        None, after an error line, if its image cannot be read.
        """
        record = super().record(entry)
        return None if record is None else Record(_wrapped(record.value), record.size)


class BoxReader:
    """AnnotatedDatums with boxes."""

    def __init__(self, reader: AnnotatedReader, classes: Classes) -> None:
        self._reader = reader
        self._classes = classes
        self.root = reader.root
        self.options = reader.annoset

    def record(self, entry: Pair) -> Record | None:
        """The record of an image and an annotation file.

        None, after an error line, if the image cannot be read.
        """
        read = self._reader.read(entry.name)
        if read is None:
            return None
        record = self._reader.datum(*read, name=entry.name, label=NO_LABEL)
        height, width = read[1].shape[:2]
        boxes = read_annotations(
            os.fsdecode(self.root + entry.label),
            self.options.label_type,
            (height, width),
            self._classes,
        )
        return Record(_wrapped(record.value) + boxes.SerializeToString(), record.size)


def _wrapped(datum: bytes) -> bytes:
    return DATUM_TAG + varint(len(datum)) + datum
