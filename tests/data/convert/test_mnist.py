"""convert_mnist_data and convert_mnist_siamese_data."""

from __future__ import annotations

import gzip
import os
import struct
from pathlib import Path

import numpy as np
import pytest

from caffepy.data.convert.mnist import convert, convert_siamese
from caffepy.data.stores import open_read
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

IMAGES = np.random.default_rng(0).integers(0, 256, (12, 7, 5), np.uint8)
LABELS = np.arange(12, dtype=np.uint8) % 3


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "images").write_bytes(struct.pack(">4I", 2051, 12, 7, 5) + IMAGES.tobytes())
    (tmp_path / "labels").write_bytes(struct.pack(">2I", 2049, 12) + LABELS.tobytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stored(backend: str) -> dict[bytes, bytes]:
    with open_read("db", backend) as store:
        return {bytes(key): bytes(value) for key, value in store.items()}


@pytest.mark.parametrize("backend", ["lmdb", "leveldb"])
def test_keys_and_datums(folder: Path, backend: str) -> None:
    convert("images", "labels", "db", backend)
    assert stored(backend) == {
        b"%08d" % i: caffe_pb2.Datum(
            channels=1, height=7, width=5, data=IMAGES[i].tobytes(), label=int(LABELS[i])
        ).SerializeToString()
        for i in range(12)
    }


def test_pairs_have_label_1_where_the_digits_are_the_same(folder: Path) -> None:
    convert_siamese("images", "labels", "db")
    found = [caffe_pb2.Datum.FromString(value) for value in stored("leveldb").values()]
    labels = {image.tobytes(): int(label) for image, label in zip(IMAGES, LABELS)}
    assert len(found) == 12
    for datum in found:
        assert (datum.channels, datum.height, datum.width) == (2, 7, 5)
        assert datum.label == (labels[datum.data[:35]] == labels[datum.data[35:]])
    assert len({datum.data for datum in found}) > 6, "the pairs are drawn at random"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("images", None, "Unable to open file images: No such file or directory .looked in /"),
        ("labels", None, "Unable to open file labels"),
        ("images", b"", "'images' has 0 bytes; needed: an IDX file of images"),
        (
            "images",
            struct.pack(">4I", 9, 12, 7, 5) + IMAGES.tobytes(),
            "Incorrect image file magic. 'images' begins with 9; needed: 2051",
        ),
        (
            "labels",
            struct.pack(">2I", 2051, 12) + LABELS.tobytes(),
            "Incorrect label file magic. 'labels' begins with 2051; needed: 2049",
        ),
        ("images", gzip.compress(IMAGES.tobytes()), "it is compressed; gunzip it first"),
        (
            "labels",
            struct.pack(">2I", 2049, 11) + LABELS.tobytes(),
            "'images' holds 12 images, 'labels' holds 11 labels",
        ),
        (
            "images",
            struct.pack(">4I", 2051, 12, 7, 5) + IMAGES.tobytes()[:-1],
            "'images' is cut off: it has 435 bytes, its header asks for 436",
        ),
        ("labels", struct.pack(">2I", 2049, 12) + LABELS.tobytes()[:-2], "'labels' is cut off"),
    ],
)
def test_files_that_do_not_fit(folder: Path, name: str, content: bytes | None, says: str) -> None:
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    for call in (
        lambda: convert("images", "labels", "db", "lmdb"),
        lambda: convert_siamese("images", "labels", "db"),
    ):
        with pytest.raises(DataError, match=says):
            call()
    assert "db" not in os.listdir(folder)


def test_the_log_ends_with_the_speed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caffepy.log.sink.min_level", 0)
    convert("images", "labels", "db", "lmdb")
    assert capsys.readouterr().err.endswith(" images/s\n")
    convert_siamese("images", "labels", "pairs")
    assert capsys.readouterr().err.endswith(" images/s\n")
