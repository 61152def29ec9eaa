"""``convert_cifar_data``: CIFAR-10's binary files to two databases."""

# A batch file has records of a label byte, then 1024 red, 1024 green and 1024 blue bytes.

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator

from caffepy import log
from caffepy.data.convert import Progress, log_speed, no_progress
from caffepy.data.datum import encode
from caffepy.data.stores import STAND_IN, Writer, open_write
from caffepy.errors import DataError

PLACE = "convert_cifar_data.cpp"
SHAPE = (3, 32, 32)
IMAGE_BYTES = 3072
RECORD_BYTES = 1 + IMAGE_BYTES
BATCH_IMAGES = 10000
TRAIN_BATCHES = 5
CLASSES = 10


def convert(
    input_folder: str, output_folder: str, backend: str, *, progress: Progress = no_progress
) -> None:
    """Write ``cifar10_train_<backend>`` and ``cifar10_test_<backend>``.

    DataError if a file cannot be read or written.
    """
    total = (TRAIN_BATCHES + 1) * BATCH_IMAGES
    began = time.monotonic()
    with open_write(f"{output_folder}/cifar10_train_{backend}", backend) as writer:
        log.info(f"{PLACE}:52", "Writing Training data")
        for batch in range(TRAIN_BATCHES):
            log.info(f"{PLACE}:55", f"Training Batch {batch + 1}")
            content = _read(
                f"{input_folder}/data_batch_{batch + 1}.bin",
                f"Unable to open train file #{batch + 1}",
            )
            _put(writer, content, batch * BATCH_IMAGES)
            progress((batch + 1) * BATCH_IMAGES, total)
    log.info(f"{PLACE}:73", "Writing Testing data")
    with open_write(f"{output_folder}/cifar10_test_{backend}", backend) as writer:
        _put(writer, _read(f"{input_folder}/test_batch.bin", "Unable to open test file."), 0)
        progress(total, total)
    log_speed(f"{PLACE}:73", total, began)
    note = f"{input_folder}/{STAND_IN}"
    if os.path.exists(note):  # readers of the databases have to know
        for part in ("train", "test"):
            shutil.copy(note, f"{output_folder}/cifar10_{part}_{backend}")


def _put(writer: Writer, content: bytes, start: int) -> None:
    for i, (label, pixels) in enumerate(_records(content), start):
        writer.put(b"%05d" % i, encode(pixels, shape=SHAPE, label=label))


def _records(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Labels and pixels, always 10000.

    After the end of the file the last image is repeated with label 0, as in Caffe.
    """
    pixels = bytes(IMAGE_BYTES)
    for at in range(0, BATCH_IMAGES * RECORD_BYTES, RECORD_BYTES):
        label = content[at] if at < len(content) else 0
        new = content[at + 1 : at + RECORD_BYTES]
        pixels = new + pixels[len(new) :]
        yield label - 256 if label > 127 else label, pixels  # as a signed C char


def _read(path: str, failure: str) -> bytes:
    try:
        with open(path, "rb") as file:
            content = file.read(BATCH_IMAGES * RECORD_BYTES)
    except OSError as error:
        raise DataError(f"{failure}: {path}: {error.strerror} (looked in {os.getcwd()})") from error
    if len(content) < BATCH_IMAGES * RECORD_BYTES:
        log.warning(
            f"{PLACE}:60",
            f"{path} has {len(content) / RECORD_BYTES:.7g} of {BATCH_IMAGES} images; the"
            " last one is repeated with label 0, as in Caffe",
        )
    odd = next((label for label in content[::RECORD_BYTES] if label >= CLASSES), None)
    if odd is not None:
        log.warning(
            f"{PLACE}:60",
            f"{path} has label {odd}; CIFAR-10 has 0 to {CLASSES - 1}: is it CIFAR-10's binary"
            " version?",
        )
    return content
