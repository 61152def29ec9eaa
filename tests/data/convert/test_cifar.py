"""convert_cifar_data: records of CIFAR-10's binary files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from caffepy.data.convert import cifar
from caffepy.data.stores import open_read
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

FILES = [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of ten pictures each."""
    monkeypatch.setattr(cifar, "BATCH_IMAGES", 10)
    for number, name in enumerate(FILES):
        records = np.random.default_rng(number).integers(0, 256, (10, cifar.RECORD_BYTES), np.uint8)
        records[:, 0] = np.arange(10)
        (tmp_path / name).write_bytes(records.tobytes())
    return tmp_path


def stored(path: Path, backend: str = "lmdb") -> list[tuple[bytes, bytes]]:
    with open_read(str(path), backend) as store:
        return [(bytes(key), bytes(value)) for key, value in store.items()]


@pytest.mark.parametrize("backend", ["lmdb", "leveldb"])
def test_keys_and_datums(folder: Path, backend: str) -> None:
    cifar.convert(str(folder), str(folder), backend)
    train, test = (
        stored(folder / f"cifar10_train_{backend}", backend),
        stored(folder / f"cifar10_test_{backend}", backend),
    )
    assert [key for key, _ in train] == [b"%05d" % i for i in range(50)]
    assert [key for key, _ in test] == [b"%05d" % i for i in range(10)]
    content = (folder / "data_batch_3.bin").read_bytes()[4 * 3073 :][:3073]
    expected = caffe_pb2.Datum(channels=3, height=32, width=32, data=content[1:], label=content[0])
    assert train[24][1] == expected.SerializeToString()


def test_a_short_file_goes_on_with_its_last_picture_and_label_0_as_in_caffe(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "test_batch.bin"
    content = path.read_bytes()
    path.write_bytes(content[: 3 * 3073 + 101])
    cifar.convert(str(folder), str(folder), "lmdb")
    test = [caffe_pb2.Datum.FromString(value) for _, value in stored(folder / "cifar10_test_lmdb")]
    assert [datum.label for datum in test] == [0, 1, 2, 3, 0, 0, 0, 0, 0, 0]
    cut = content[3 * 3073 + 1 : 3 * 3073 + 101] + test[2].data[100:]
    assert {datum.data for datum in test[3:]} == {cut}
    assert (
        "test_batch.bin has 3.032867 of 10 images; the last one is repeated with label 0"
        in capsys.readouterr().err
    )


def test_labels_that_cifar10_does_not_have(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "data_batch_2.bin"
    path.write_bytes(b"\xc8" + path.read_bytes()[1:])
    cifar.convert(str(folder), str(folder), "lmdb")
    assert "data_batch_2.bin has label 200; CIFAR-10 has 0 to 9" in capsys.readouterr().err
    assert (
        caffe_pb2.Datum.FromString(stored(folder / "cifar10_train_lmdb")[10][1]).label == 200 - 256
    ), "a C char"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("data_batch_4.bin", "Unable to open train file #4: .*No such file"),
        ("test_batch.bin", "Unable to open test file."),
    ],
)
def test_missing_files(folder: Path, name: str, says: str) -> None:
    (folder / name).unlink()
    with pytest.raises(DataError, match=says):
        cifar.convert(str(folder), str(folder), "lmdb")
    assert [left for left in os.listdir(folder) if "test_lmdb" in left or "tmp" in left] == []


def test_unknown_kinds_of_database(folder: Path) -> None:
    with pytest.raises(DataError, match="Unknown database backend 'lmbd'; nearest: 'lmdb'"):
        cifar.convert(str(folder), str(folder), "lmbd")


def test_the_log_ends_with_the_speed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caffepy.log.sink.min_level", 0)
    cifar.convert(str(folder), str(folder), "lmdb")
    assert capsys.readouterr().err.endswith(" images/s\n")
