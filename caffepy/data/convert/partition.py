"""``partition_data``: a database as several, one for each rank."""

from __future__ import annotations

from contextlib import ExitStack

from caffepy import log
from caffepy.data.convert import Progress, no_progress
from caffepy.data.stores import open_read, open_write
from caffepy.errors import DataError

PLACE = "partition_data.cpp"


def partition(db: str, count: int, backend: str, *, progress: Progress = no_progress) -> list[str]:
    """Write record i of ``db`` to ``<db>_<i % count>`` under its own key.

    Returns the names of the new databases. DataError, and no new database, if there are fewer
    records than parts, or if one of the names is taken.
    """
    if count < 1:
        raise DataError(f"num_partitions is {count}; needed: at least 1")
    stem = db.rstrip("/")
    names = [f"{stem}_{part}" for part in range(count)]
    with open_read(db, backend) as store, ExitStack() as writers:
        if store.known_length():
            _check_count(db, store.known_length(), count)
        parts = [writers.enter_context(open_write(name, backend)) for name in names]
        records = 0
        for key, value in store.items():
            parts[records % count].put(key, value)
            records += 1
            progress(records, store.known_length())
        _check_count(db, records, count)
    log.info(
        f"{PLACE}:0", f"Wrote {records} records to {count} databases, {names[0]} to {names[-1]}"
    )
    return names


def _check_count(db: str, records: int, parts: int) -> None:
    if records < parts:
        raise DataError(
            f"'{db}' has {records} record(s); needed: at least one for each of {parts} parts"
        )
