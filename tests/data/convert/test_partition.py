"""A database in parts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from caffepy.cli.main import run
from caffepy.data.convert import partition as partition_module
from caffepy.data.convert.partition import partition
from caffepy.data.stores import open_read
from caffepy.errors import DataError
from tests.data.build import write_database

RECORDS = [b"%d" % i for i in range(7)]


def items(path: str, backend: str = "lmdb") -> list[tuple[bytes, bytes]]:
    with open_read(path, backend) as store:
        return [(key, bytes(value)) for key, value in store.items()]


@pytest.mark.parametrize("backend", ["lmdb", "leveldb"])
def test_records_in_turn(tmp_path: Path, backend: str) -> None:
    path = write_database(tmp_path / "db", RECORDS, backend=backend)
    names = partition(path + "/", 3, backend)
    assert names == [f"{path}_{part}" for part in range(3)]
    whole = items(path, backend)
    assert [items(name, backend) for name in names] == [whole[part::3] for part in range(3)]


def test_nothing_is_left_of_a_partition_that_fails(tmp_path: Path) -> None:
    path = write_database(tmp_path / "db", RECORDS)
    with pytest.raises(DataError, match="has 7 record.*; needed: at least one for each of 8 parts"):
        partition(path, 8, "lmdb")
    write_database(tmp_path / "db_1", RECORDS[:1])
    with pytest.raises(DataError, match="db_1 failed: it exists already"):
        partition(path, 2, "lmdb")
    with pytest.raises(DataError, match="num_partitions is 0; needed: at least 1"):
        partition(path, 0, "lmdb")
    assert sorted(os.listdir(tmp_path)) == ["db", "db_1"]


def test_no_database_is_made_where_there_are_more_parts_than_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_database(tmp_path / "db", RECORDS)
    made: list[str] = []
    monkeypatch.setattr(partition_module, "open_write", lambda name, backend: made.append(name))
    with pytest.raises(
        DataError, match="has 7 record.*; needed: at least one for each of 99999 parts"
    ):
        partition(path, 99999, "lmdb")
    assert not made


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_database(tmp_path / "db", RECORDS)
    assert run("caffepy", ["partition_data", "--backend=lmdb", "--num_partitions=2", "db"]) == 0
    assert (len(items("db_0")), len(items("db_1"))) == (4, 3)
    assert run("caffepy", ["partition_data", "db"]) == 1
