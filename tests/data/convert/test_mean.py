"""compute_image_mean: values, file, and records that have no mean."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from caffepy.data.convert.mean import compute
from caffepy.data.datum import encode
from caffepy.errors import CaffeError, DataError, UsageError
from caffepy.proto import caffe_pb2
from tests.data.build import picture, png, raw, write_database


def test_mean_of_raw_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caffepy.log.sink.min_level", 0)
    pictures = [picture(i) for i in range(7)]
    target = tmp_path / "mean.binaryproto"
    told: list[tuple[int, int]] = []
    db = write_database(tmp_path / "db", [raw(p, 0) for p in pictures])
    compute(db, str(target), "lmdb", progress=lambda done, total: told.append((done, total)))
    blob = caffe_pb2.BlobProto.FromString(target.read_bytes())
    assert (blob.num, blob.channels, blob.height, blob.width) == (1, 3, 6, 8)
    total = np.zeros((6, 8, 3), np.float32)
    for p in pictures:
        total += p
    expected = total / np.float32(7)
    np.testing.assert_array_equal(blob.data, expected.transpose(2, 0, 1).ravel())
    assert told == [(i, 7) for i in range(1, 8)]
    log = capsys.readouterr().err
    assert "] Processed 7 files." in log
    assert "] Number of channels: 3" in log
    for c in range(3):
        assert (
            f"] mean_value channel [{c}]: {expected[:, :, c].mean(dtype=np.float64):.4g}"[:-1]
            in log
        )


def test_more_images_than_float_sums_hold_are_added_as_caffe_adds_them(tmp_path: Path) -> None:
    """Above 2**24 single floats skip numbers.

    The mean is what Caffe's own loop gives, not the exact one.
    """
    huge = encode(None, shape=(1, 1, 2), floats=[16777216.0, 0.0])
    one = encode(None, shape=(1, 1, 2), floats=[1.0, 1.0])
    mean = compute(write_database(tmp_path / "db", [huge, one, one, one]), "", "lmdb")
    np.testing.assert_array_equal(mean, [[[16777216.0 / 4, 0.75]]])


def test_encoded_and_float_records(tmp_path: Path) -> None:
    mean = compute(
        write_database(tmp_path / "a", [png(picture(0), 0), png(picture(1), 0)]), "", "lmdb"
    )
    np.testing.assert_array_equal(
        mean, (picture(0).astype(np.float32) + picture(1)).transpose(2, 0, 1) / 2
    )
    floats = encode(None, shape=(1, 1, 2), floats=[0.5, -2.0])
    np.testing.assert_array_equal(
        compute(write_database(tmp_path / "b", [floats, floats]), "", "lmdb"), [[[0.5, -2.0]]]
    )


@pytest.mark.parametrize(
    ("records", "says"),
    [
        ([], "holds no record"),
        ([b"\x0a\x02ab"], "first record: .*AnnotatedDatum"),
        (
            [raw(picture(0), 0), raw(picture(0, 6, 9), 0)],
            r"record 1 \(key '00000001'\): Incorrect data field size 162: it is 3x6x9; needed: 3x6x8",
        ),
        (
            [raw(picture(0), 0), raw(picture(0, 8, 6), 0)],
            "Incorrect data field size 144: it is 3x8x6; needed: 3x6x8",
        ),
        ([raw(picture(0), 0), b"garbage"], r"record 1 \(key '00000001'\): is no Datum"),
        ([encode(b"no picture", label=0, encoded=True)], "first record: Could not decode datum"),
    ],
)
def test_records_without_a_mean(tmp_path: Path, records: list[bytes], says: str) -> None:
    with pytest.raises(DataError, match=says):
        compute(write_database(tmp_path / "db", records), str(tmp_path / "mean"), "lmdb")
    assert sorted(os.listdir(tmp_path)) == ["db"]


def test_a_target_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db = write_database(tmp_path / "db", [raw(picture(0), 0)])
    with pytest.raises(DataError, match="there is no folder .*nowhere"):
        compute(db, str(tmp_path / "nowhere/mean"), "lmdb")
    started: list[tuple[int, int]] = []

    def refused(target: Path, why: str) -> None:
        with pytest.raises(CaffeError, match=f"cannot write it: {why}"):
            compute(db, str(target), "lmdb", progress=lambda *counts: started.append(counts))

    refused(tmp_path / "db", "it is a folder")
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode: False)
        refused(tmp_path / "mean", "the folder .* is not writable")
    assert not started, "before the work"
    assert sorted(os.listdir(tmp_path)) == ["db"]


def test_the_mean_does_not_take_the_place_of_the_database(tmp_path: Path) -> None:
    db = write_database(tmp_path / "db", [png(picture(0), 0)])
    before = (tmp_path / "db/data.mdb").read_bytes()
    with pytest.raises(UsageError, match="data.mdb would be overwritten, and it is what is read"):
        compute(db, f"{db}/data.mdb", "lmdb")
    assert (tmp_path / "db/data.mdb").read_bytes() == before
