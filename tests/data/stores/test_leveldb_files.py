"""What a copy of a LevelDB lacks is told, where LevelDB itself would go on without the records."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.data.stores import open_read, open_write
from caffepy.errors import DataError


def filled(path: Path, records: int) -> Path:
    """A LevelDB whose records are in its log."""
    with open_write(str(path), "leveldb") as writer:
        for i in range(records):
            writer.put(b"%08d" % i, bytes([i % 256]) * 100)
    return path


def cut_places(size: int) -> list[int]:
    """Within headers, within records, at the ends of blocks."""
    return [3, 100, 32768 - 3, 32768, 32768 + 3, 70_000, size - 1]


def test_a_leveldb_whose_log_is_cut_is_an_error_before_anything_is_changed(tmp_path: Path) -> None:
    """LevelDB itself leaves the last records out, and makes tables of the rest."""
    path = filled(tmp_path / "leveldb", 2500)
    (file,) = path.glob("*.log")
    content = file.read_bytes()
    for place in cut_places(len(content)):
        file.write_bytes(content[:place])
        with pytest.raises(
            DataError,
            match=rf"^LevelDB '{path}' is truncated: {file.name} ends within a record .*copy or convert it again",
        ):
            open_read(str(path), "leveldb")
    file.write_bytes(content)
    with open_read(str(path), "leveldb") as store:
        assert len(store) == 2500


def test_a_leveldb_without_its_log_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = filled(tmp_path / "leveldb", 5)
    with open_read(str(path), "leveldb") as store:  # which makes a table of the log, and a new log
        assert len(store) == 5
    assert "has no" not in capfd.readouterr().err
    (file,) = path.glob("*.log")
    file.unlink()
    with open_read(str(path), "leveldb") as store:
        assert len(store) == 5
    assert (
        f"LevelDB '{path}' has no {file.name}, in which its newest records were"
        in capfd.readouterr().err
    )


def test_zeros_behind_a_log_are_no_records(tmp_path: Path) -> None:
    """Old LevelDBs mapped their files, and made them longer than what they wrote."""
    path = filled(tmp_path / "leveldb", 5)
    (file,) = path.glob("*.log")
    file.write_bytes(file.read_bytes() + bytes(70_000))
    with open_read(str(path), "leveldb") as store:
        assert len(store) == 5
