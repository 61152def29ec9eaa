"""Stand-in pictures: the same in every run, of every class, and told of by whoever reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.data.convert import cifar, standin
from caffepy.data.sources.data import DataSource
from caffepy.proto import caffe_pb2


def test_the_same_number_gives_the_same_pictures(tmp_path: Path) -> None:
    for name, number in (("a", 3), ("b", 3), ("c", 4)):
        standin.write_batch(str(tmp_path / name), number, 40)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b != c
    assert len(a) == 40 * cifar.RECORD_BYTES
    assert {*a[:: cifar.RECORD_BYTES]} == set(range(cifar.CLASSES))


@pytest.mark.parametrize("stand_in", [True, False])
def test_readers_are_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    stand_in: bool,
) -> None:
    monkeypatch.setattr(cifar, "BATCH_IMAGES", 10)
    for number in range(6):
        standin.write_batch(
            str(tmp_path / (f"data_batch_{number}.bin" if number else "test_batch.bin")), number, 10
        )
    if stand_in:
        (tmp_path / "STAND_IN").write_text("generated")
    cifar.convert(str(tmp_path), str(tmp_path), "lmdb")
    param = caffe_pb2.LayerParameter(type="Data", top=["data"])
    param.data_param.source = str(tmp_path / "cifar10_train_lmdb")
    param.data_param.backend = 1
    param.data_param.batch_size = 5
    source = DataSource(param, 0)
    source.close()
    assert ("stand-in" in capfd.readouterr().err) == stand_in
