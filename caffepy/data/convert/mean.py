"""``compute_image_mean``: the mean image of a database."""

from __future__ import annotations

import numpy as np

from caffepy import log
from caffepy.data import image as images
from caffepy.data.convert import Progress, untold
from caffepy.data.datum import Datum, decode
from caffepy.data.stores import open_read
from caffepy.data.transformer import Floats, Values
from caffepy.errors import DataError
from caffepy.proto.weights import write_blob

PLACE = "compute_image_mean.cpp"
TOLD_EVERY = 10000


def compute(db: str, output: str, backend: str, *, progress: Progress = untold) -> Floats:
    """The mean image (C, H, W) of all records, written to ``output`` unless that is empty.

    Added up in float32 in key order, as in Caffe. DataError, and no file, if a record is no image or has another size.
    """
    with open_read(db, backend) as store:
        first = decode(store.first())
        if first.encoded:
            log.info(f"{PLACE}:57", "Decoding Datum")
        log.info(f"{PLACE}:70", "Starting iteration")
        total: Floats | None = None
        count = 0
        for key, record in store.items():
            try:
                image = _image(decode(record))
                if total is None:
                    total = np.zeros(image.shape, np.float32)
                if image.shape != total.shape:
                    found, needed = "x".join(map(str, image.shape)), "x".join(map(str, total.shape))
                    raise DataError(f"Incorrect data field size {image.size}: it is {found}; needed: {needed}, as the first record")
            except DataError as error:
                raise DataError(f"'{db}', record {count} (key '{key.decode(errors='replace')}'): {error}") from error
            np.add(total, image, out=total)
            count += 1
            if count % TOLD_EVERY == 0:
                log.info(f"{PLACE}:101", f"Processed {count} files.")
                progress(count, len(store))
    assert total is not None  # a store without records has no first one
    if count % TOLD_EVERY:
        log.info(f"{PLACE}:101", f"Processed {count} files.")
    mean: Floats = total / np.float32(count)
    if output:
        log.info(f"{PLACE}:108", f"Write to {output}")
        write_blob(output, mean[None])
    _tell(mean)
    return mean


def _image(datum: Datum) -> Values:
    return images.decode_datum(datum.data, force_color=False, force_gray=False) if datum.encoded else datum.image()


def _tell(mean: Floats) -> None:
    """The log's lines of each channel's mean, added up in float32 from left to right."""
    log.info(f"{PLACE}:114", f"Number of channels: {len(mean)}")
    for i, channel in enumerate(mean):
        total = np.add.accumulate(channel.ravel(), dtype=np.float32)[-1]
        log.info(f"{PLACE}:119", f"mean_value channel [{i}]: {log.number(float(total / np.float32(channel.size)))}")
