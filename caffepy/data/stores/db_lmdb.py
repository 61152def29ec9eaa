"""LMDB: the store for many readers at once."""

from __future__ import annotations

import os
import sys
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, cast

import lmdb

from caffepy import log
from caffepy.data.stores.base import Buffer, Cursor, Keys, Store, Writer, missing, why_unwritten
from caffepy.data.stores.handles import Handles
from caffepy.data.stores.lmdb_copy import own_lmdb
from caffepy.data.stores.lmdb_file import check_complete, sound_records
from caffepy.errors import DataError
from caffepy.memory_limit import memory_note

FIRST_MAP_BYTES = 1 << 26
LOCK_BYTES = 8192
"""The size of LMDB's lock file, with its 126 readers."""

_handles = Handles()


def open_read(path: str) -> LmdbStore:
    """Open for reading, without locks.

    So read-only folders, network disks and any number of processes work.
    """
    return LmdbStore(path)


def open_write(path: str) -> LmdbWriter:
    """A new LMDB; its folder must not exist."""
    return LmdbWriter(path)


class LmdbStore(Store):
    """An LMDB opened for reading."""

    def __init__(self, path: str) -> None:
        self.path = path
        data_file = os.path.join(path, "data.mdb")
        if not os.path.exists(data_file):
            if os.path.exists(os.path.join(path, "CURRENT")):
                raise DataError(f"'{path}' holds a LevelDB, not an LMDB; use backend LEVELDB")
            raise missing(path, "LMDB")
        check_complete(path, data_file)
        key, self._environment = _handles.acquire(data_file, lambda: _open(path))
        self._release = weakref.finalize(self, _handles.release, key)
        self._transaction = self._environment.begin(buffers=True)
        self._keys: Keys | None = None
        self._leaves = sound_records(path, data_file)
        self._checked = 0
        log.info("db_lmdb.cpp:35", f"Opened lmdb {path}")

    def __len__(self) -> int:
        main = self._environment.open_db(None, txn=self._transaction)
        return int(self._transaction.stat(main)["entries"])

    def known_length(self) -> int:
        return len(self)

    def cursor(self) -> LmdbCursor:
        return LmdbCursor(self, self._transaction)

    def items(self) -> Iterator[tuple[bytes, Buffer]]:
        self.check(1)
        with _reading(self.path), self._transaction.cursor() as cursor:
            for number, (key, value) in enumerate(cursor, 1):
                yield bytes(key), value
                self.check(number + 1)

    def pick(self, positions: Sequence[int]) -> list[Buffer]:
        with _reading(self.path), self._transaction.cursor() as cursor:
            if self._keys is None:
                self.check(sys.maxsize)
                self._keys = Keys(cursor.iternext(values=False))
            values_or_none: list[Buffer | None] = [
                self._transaction.get(self._keys[position]) for position in positions
            ]
        values = [value for value in values_or_none if value is not None]
        if len(values) < len(values_or_none):
            raise _damaged(self.path, "its keys are in no order")
        return values

    def check(self, upto: int) -> None:
        """DataError if the first ``upto`` records, or their pages, are not inside the file.

        Each is checked once.
        """
        while self._checked < upto:
            records = next(self._leaves, None)
            self._checked = sys.maxsize if records is None else self._checked + records

    def close(self) -> None:
        self._transaction.abort()
        self._release()


class LmdbCursor(Cursor):
    """Values are views of the mapped file."""

    def __init__(self, store: LmdbStore, transaction: lmdb.Transaction) -> None:
        super().__init__()
        self._store = store
        self._transaction = transaction
        if len(store) == 0:
            raise DataError(f"LMDB '{store.path}' holds no record")
        self._records = self._from_first()

    def _from_first(self) -> Iterator[tuple[memoryview, memoryview]]:
        self._store.check(1)
        with _reading(self._store.path):  # the first record is looked up here
            return cast("Iterator[tuple[memoryview, memoryview]]", iter(self._transaction.cursor()))

    def take(self, n: int) -> list[Buffer]:
        values: list[Buffer] = []
        while len(values) < n:
            wanted = n - len(values)
            self._store.check(self.position + wanted)
            with _reading(self._store.path):
                new = [value for _, value in islice(self._records, wanted)]
            values += new
            self._moved(len(new), wanted)
        return values

    def skip(self, n: int) -> None:
        while n > 0:
            self._store.check(self.position + n)
            with _reading(self._store.path):
                counted = deque(enumerate(islice(self._records, n), 1), maxlen=1)
            passed = counted[0][0] if counted else 0
            self._moved(passed, n)
            n -= passed

    def _moved(self, passed: int, wanted: int) -> None:
        self.position += passed
        if passed < wanted:
            self._records = self._from_first()
            self.position = 0
            self.wraps += 1


class LmdbWriter(Writer):
    """Writes with a map that grows when it is full."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        try:
            self._environment = _create(self._aside)
        except (lmdb.Error, OSError) as error:
            self.abort()
            reason = getattr(error, "strerror", None) or str(error)
            raise DataError(
                f"LMDB '{path}' cannot be written: {reason}{memory_note(error)}"
            ) from error
        self._map_bytes = FIRST_MAP_BYTES
        log.info("db_lmdb.cpp:35", f"Opened lmdb {path}")

    def _write(self, records: list[tuple[bytes, Buffer]]) -> None:
        while True:
            try:
                with (
                    self._environment.begin(write=True) as transaction,
                    transaction.cursor() as cursor,
                ):
                    cursor.putmulti(records, overwrite=True)
                return
            except lmdb.MapFullError:
                # the transaction is lost: write the same records again, to a map of twice the size
                self._map_bytes *= 2
                self._environment.set_mapsize(self._map_bytes)
            except lmdb.BadValsizeError as error:
                longest = max((key for key, _ in records), key=len)
                raise DataError(
                    f"LMDB '{self.path}': key '{longest.decode(errors='replace')}' has"
                    f" {len(longest)} bytes; "
                    f"needed: 1 to {self._environment.max_key_size()}; use shorter file"
                    " names or LevelDB"
                ) from error
            except lmdb.Error as error:
                reason = why_unwritten(error, self._aside, sum(len(value) for _, value in records))
                raise DataError(f"LMDB '{self.path}' cannot be written: {reason}") from error

    def _finish(self) -> None:
        try:
            self._environment.sync(True)
        except lmdb.Error as error:
            raise DataError(f"LMDB '{self.path}' cannot be written: {error}") from error
        finally:
            self._environment.close()


def _create(path: str) -> lmdb.Environment:
    # nobody else sees the files before they are renamed: one sync at the end is enough, and locks
    # can be done without
    options: dict[str, Any] = {
        "map_size": FIRST_MAP_BYTES,
        "sync": False,
        "metasync": False,
        "mode": 0o664,
    }
    # LMDB maps its lock file and writes there: on a full disk that ends the process, unless the
    # file has its blocks already
    with open(
        os.path.join(path, "lock.mdb"), "xb", opener=lambda name, flags: os.open(name, flags, 0o664)
    ) as locks:
        locks.write(bytes(LOCK_BYTES))
    try:
        return lmdb.open(os.fsencode(path), **options)
    except lmdb.Error as error:
        try:  # some network disks (Lustre) have no locks
            return lmdb.open(os.fsencode(path), lock=False, **options)
        # on a full disk the second error is about the half file that the first one left
        except lmdb.Error:
            raise error from None


def _open(path: str) -> lmdb.Environment:
    try:
        environment: lmdb.Environment = own_lmdb().open(
            os.fsencode(path), readonly=True, lock=False, create=False
        )
        return environment
    except own_lmdb().Error as error:
        raise DataError(f"LMDB '{path}' cannot be opened: {error}{memory_note(error)}") from error


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Turn the library's error for damaged pages into a DataError."""
    try:
        yield
    except own_lmdb().Error as error:
        raise _damaged(path, error) from error


def _damaged(path: str, reason: object) -> DataError:
    return DataError(f"LMDB '{path}' is damaged: {reason}; copy or convert it again")
