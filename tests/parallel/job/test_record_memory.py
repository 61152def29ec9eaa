"""A database in the memory of the ranks of one host; tests/mpi has it over several."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caffepy.data.stores import open_read
from caffepy.errors import DataError, ParallelError
from caffepy.parallel.job import record_memory
from caffepy.parallel.job.record_memory import RecordMemory
from caffepy.parallel.transport.communicator import Communicator
from tests.data.build import write_database
from tests.parallel.ranks import run_ranks

RECORDS = [b"%d" % i * (i + 1) for i in range(11)]


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("backend", ["lmdb", "leveldb"])
def test_every_rank_finds_every_record(tmp_path: Path, size: int, backend: str) -> None:
    path = write_database(tmp_path / "db", RECORDS, backend=backend)

    def work(c: Communicator) -> tuple[list[bytes], bool]:
        memory = RecordMemory(c)
        store = memory.open(path, backend)
        found = [bytes(value) for value in store.pick([3, 10, 0, 3])] + [bytes(value) for value in store.cursor().take(12)]
        return found, memory.open(path, backend) is store

    expected = [RECORDS[i] for i in (3, 10, 0, 3, *range(11), 0)]
    assert run_ranks(size, work) == [(expected, True)] * size


def test_raw_files(tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(b"aabbccdd")
    assert run_ranks(2, lambda c: bytes(RecordMemory(c).open(str(tmp_path / "raw"), "raw-2").pick([2])[0])) == [b"cc"] * 2


def fails(work: Callable[[Communicator], object], message: str, **options: Any) -> None:
    """All ranks say the same."""

    def caught(c: Communicator) -> str:
        try:
            work(c)
        except (DataError, ParallelError) as error:
            return str(error)
        return "nothing"

    for found in run_ranks(2, caught, **options):
        assert message in found


def test_what_cannot_be_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_database(tmp_path / "db", RECORDS)
    few = write_database(tmp_path / "few", RECORDS[:1])
    fails(lambda c: RecordMemory(c).open(f"{path}{c.rank}", "lmdb"), "-in_memory holds one database for all ranks, and they open")
    fails(lambda c: RecordMemory(c).open(few, "lmdb"), "has 1 record(s) for 2 ranks; needed: at least one for each rank")
    fails(lambda c: RecordMemory(c).open(path, "lmdb"), "no one-sided reads; needed: an MPI launcher", hosts=["a", "b"])
    (tmp_path / "info").write_text("MemTotal: 1 kB\nMemAvailable: 0 kB\n")
    monkeypatch.setattr(record_memory, "MEMORY_INFO", str(tmp_path / "info"))
    fails(lambda c: RecordMemory(c).open(path, "lmdb"), "and 0 MiB are free; needed: more hosts, or no -in_memory")
    with open_read(path, "lmdb") as store:
        assert len(store) == len(RECORDS)
