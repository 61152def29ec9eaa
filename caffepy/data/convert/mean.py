"""``compute_image_mean``: the mean image of a database."""

from __future__ import annotations

import os
import time

import cv2
import numpy as np

from caffepy import log
from caffepy.data import opencv
from caffepy.data.convert import Progress, log_speed, no_progress
from caffepy.data.datum import Datum, decode
from caffepy.data.image_file import decode_datum
from caffepy.data.size_text import size_text
from caffepy.data.stores import Store, open_read
from caffepy.data.transformer import Floats, Values
from caffepy.errors import DataError
from caffepy.proto.output_files import refuse_overwriting
from caffepy.proto.weights import write_blob

PLACE = "compute_image_mean.cpp"
LOG_EVERY = 10000


def compute(db: str, output: str, backend: str, *, progress: Progress = no_progress) -> Floats:
    """The mean image (C, H, W) of all records, written to ``output`` unless that is empty.

    The sum is in float32 and in key order, as in Caffe. DataError, and no file, if a record is no
    image or has another size.
    """
    folder = os.path.dirname(output) or "."
    if not os.path.isdir(folder):
        raise DataError(f"{output}: there is no folder {folder} (looked in {os.getcwd()})")
    if os.path.isdir(output):
        raise DataError(f"{output}: cannot write it: it is a folder; needed: the name of a file")
    if output and not os.path.exists(output) and not os.access(folder, os.W_OK):
        raise DataError(f"{output}: cannot write it: the folder {folder} is not writable")
    refuse_overwriting(
        output, *(os.path.join(db, name) for name in (os.listdir(db) if os.path.isdir(db) else ()))
    )
    began = time.monotonic()
    with open_read(db, backend) as store:
        first = _first(store)
        log.info(f"{PLACE}:70", "Starting iteration")
        total = np.zeros(first.shape, np.float32)
        width = first.shape[-1]
        count = 0
        for key, record in store.items():
            try:
                image = _image(decode(record))
                if image.shape != total.shape:
                    found = size_text(image.shape)
                    needed = size_text(total.shape)
                    raise DataError(
                        f"Incorrect data field size {image.size}: it is {found}; needed:"
                        f" {needed}, as the first record"
                    )
            except DataError as error:
                raise DataError(
                    f"'{db}', record {count} (key '{key.decode(errors='replace')}'): {error}"
                ) from error
            # one call for all planes, four times as fast as numpy's sum of bytes and floats
            cv2.accumulate(opencv.planes(image).reshape(-1, width), total.reshape(-1, width))
            count += 1
            progress(count, store.known_length())
            if count % LOG_EVERY == 0:
                log.info(f"{PLACE}:101", f"Processed {count} files.")
    if count % LOG_EVERY:
        log.info(f"{PLACE}:101", f"Processed {count} files.")
    log_speed(f"{PLACE}:101", count, began)
    mean: Floats = total / np.float32(count)
    if output:
        log.info(f"{PLACE}:108", f"Write to {output}")
        write_blob(output, mean[None])
    _log_means(mean)
    return mean


def _first(store: Store) -> Values:
    """The image of the first record, whose size all others must have."""
    try:
        datum = decode(store.first())
        if datum.encoded:
            log.info(f"{PLACE}:57", "Decoding Datum")
        return _image(datum)
    except DataError as error:
        raise DataError(f"'{store.path}', first record: {error}") from error


def _image(datum: Datum) -> Values:
    return (
        decode_datum(datum.data, force_color=False, force_gray=False)
        if datum.encoded
        else datum.image()
    )


def _log_means(mean: Floats) -> None:
    """Log each channel's mean, summed in float32 from left to right."""
    log.info(f"{PLACE}:114", f"Number of channels: {len(mean)}")
    for i, channel in enumerate(mean):
        total = np.add.accumulate(channel.ravel(), dtype=np.float32)[-1]
        log.info(
            f"{PLACE}:119",
            f"mean_value channel [{i}]: {log.number(float(total / np.float32(channel.size)))}",
        )
