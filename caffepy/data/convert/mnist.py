"""``convert_mnist_data`` and ``convert_mnist_siamese_data``: MNIST's IDX files to a database."""

# M items, H height, W width

from __future__ import annotations

import os
import struct
import time

import numpy as np
import numpy.typing as npt

from caffepy import log
from caffepy.data.convert import Progress, log_speed, no_progress
from caffepy.data.datum import encode
from caffepy.data.random import Mt19937
from caffepy.data.stores import open_write
from caffepy.errors import DataError

PLACE = "convert_mnist_data.cpp"
IMAGES_MAGIC, LABELS_MAGIC = 2051, 2049

Bytes = npt.NDArray[np.uint8]


def convert(
    image_file: str, label_file: str, db: str, backend: str, *, progress: Progress = no_progress
) -> None:
    """Images (1, H, W) with their labels to a database.

    DataError if the files do not fit or the database cannot be written.
    """
    images, labels = read_idx(image_file, label_file)
    began = time.monotonic()
    with open_write(db, backend) as writer:
        log.info(f"{PLACE}:88", f"A total of {len(images)} items.")
        log.info(f"{PLACE}:89", f"Rows: {images.shape[1]} Cols: {images.shape[2]}")
        for i, (image, label) in enumerate(zip(images, labels.tolist())):
            writer.put(b"%08d" % i, encode(image.tobytes(), shape=(1, *image.shape), label=label))
            progress(i + 1, len(images))
    log.info(f"{PLACE}:108", f"Processed {len(images)} files.")
    log_speed(f"{PLACE}:108", len(images), began)


def convert_siamese(
    image_file: str, label_file: str, db: str, *, progress: Progress = no_progress
) -> None:
    """As many random pairs (2, H, W) as there are images, to a LevelDB.

    The label is 1 if both images have the same label, else 0.
    """
    images, labels = read_idx(image_file, label_file)
    began = time.monotonic()
    draws = Mt19937(int.from_bytes(os.urandom(4), "little")).raw(2 * len(images)) % max(
        1, len(images)
    )
    with open_write(db, "leveldb") as writer:
        for i, (one, other) in enumerate(draws.reshape(-1, 2)):
            pair = [images[one].tobytes(), images[other].tobytes()]
            writer.put(
                b"%08d" % i,
                encode(pair, shape=(2, *images.shape[1:]), label=int(labels[one] == labels[other])),
            )
            progress(i + 1, len(images))
    log_speed("convert_mnist_siamese_data.cpp:0", len(images), began)


def read_idx(image_file: str, label_file: str) -> tuple[Bytes, Bytes]:
    """Images (M, H, W) and labels (M,).

    DataError if a file is missing, no IDX file or truncated, or if they differ in M.
    """
    image_bytes, label_bytes = _read(image_file), _read(label_file)
    items, rows, columns = _header(image_bytes, image_file, "image", IMAGES_MAGIC, 3)
    (labels,) = _header(label_bytes, label_file, "label", LABELS_MAGIC, 1)
    if items != labels:
        raise DataError(
            f"'{image_file}' holds {items} images, '{label_file}' holds {labels} labels;"
            " needed: as many"
        )
    image_values = _values(image_bytes, image_file, 16, items * rows * columns)
    return image_values.reshape(items, rows, columns), _values(label_bytes, label_file, 8, labels)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise DataError(
            f"Unable to open file {path}: {error.strerror} (looked in {os.getcwd()})"
        ) from error


def _header(content: bytes, path: str, what: str, magic: int, sizes: int) -> tuple[int, ...]:
    """The sizes that an IDX file begins with."""
    if len(content) < 4 + 4 * sizes:
        raise DataError(f"'{path}' has {len(content)} bytes; needed: an IDX file of {what}s")
    found, *extents = struct.unpack_from(f">{1 + sizes}I", content)
    if found != magic:
        packed = " (it is compressed; gunzip it first)" if content[:2] == b"\x1f\x8b" else ""
        raise DataError(
            f"Incorrect {what} file magic. '{path}' begins with {found}; needed: {magic}{packed}"
        )
    return tuple(extents)


def _values(content: bytes, path: str, start: int, count: int) -> Bytes:
    if len(content) < start + count:
        raise DataError(
            f"'{path}' is cut off: it has {len(content)} bytes, its header asks for {start + count}"
        )
    return np.frombuffer(content, np.uint8, count, start)
