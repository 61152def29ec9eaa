"""LevelDB: the older store, open to one process at a time."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from importlib import import_module
from itertools import islice
from typing import Any

from caffepy import log
from caffepy.data.stores.base import Buffer, Cursor, Keys, Store, Writer, missing
from caffepy.data.stores.handles import Handles, Key
from caffepy.data.stores.leveldb_files import cut_log, missing_log
from caffepy.errors import DataError

# What Caffe writes with: few big tables.
BLOCK_BYTES = 65536
BUFFER_BYTES = 268435456
OPEN_FILES = 100

LIBRARIES = ("plyvel", "plyvel_next")
"""The first that is installed serves.  The second is a fork of the first with the same names; it has wheels for newer Pythons."""

_handles = Handles()


def open_read(path: str) -> LeveldbStore:
    """Open for reading.  LevelDB itself changes files of the folder when it opens it."""
    return LeveldbStore(path)


def open_write(path: str) -> LeveldbWriter:
    """A new LevelDB; its folder may exist if it holds no database."""
    return LeveldbWriter(path)


class LeveldbStore(Store):
    """A LevelDB opened for reading."""

    def __init__(self, path: str) -> None:
        self.path = path
        if not os.path.exists(os.path.join(path, "CURRENT")):
            if os.path.exists(os.path.join(path, "data.mdb")):
                raise DataError(f"'{path}' holds an LMDB, not a LevelDB; use backend LMDB")
            raise missing(path, "LevelDB")
        key, self._database = _handles.acquire(path, lambda: _open(path))
        self._iterators: set[Any] = set()
        self._release = weakref.finalize(self, _close, key, self._iterators)
        self._records: int | None = None
        self._keys: Keys | None = None
        self._begins = False
        log.info("db_leveldb.cpp:18", f"Opened leveldb {path}")

    def __len__(self) -> int:
        if self._records is None:
            self._records = sum(1 for _ in self.items())
        return self._records

    def cursor(self) -> LeveldbCursor:
        return LeveldbCursor(self)

    def items(self) -> Iterator[tuple[bytes, Buffer]]:
        found = self.iterator()
        try:
            with _reading(self.path):
                yield from found
        finally:
            self.end(found)

    def iterator(self, **options: bool) -> Any:
        """A new iterator over all records; give it to `end`."""
        with _reading(self.path):
            if (
                not self._begins
            ):  # where the first block is damaged, a plain iterator ends without an error
                with closing(self._database.raw_iterator(verify_checksums=True)) as first:
                    first.seek_to_first()
                self._begins = True
            # Caffe does not verify checksums, and trains on damaged pictures
            found = self._database.iterator(fill_cache=False, verify_checksums=True, **options)
        self._iterators.add(found)
        return found

    def end(self, iterator: Any) -> None:
        """Give an iterator back."""
        iterator.close()
        self._iterators.discard(iterator)

    def pick(self, positions: Sequence[int]) -> list[Buffer]:
        with _reading(self.path):
            if self._keys is None:
                found = self.iterator(include_value=False)
                self._keys = Keys(found)
                self.end(found)
            return [
                self._database.get(self._keys[position], verify_checksums=True)
                for position in positions
            ]

    def close(self) -> None:
        self._release()


class LeveldbCursor(Cursor):
    """Values are copies."""

    def __init__(self, store: LeveldbStore) -> None:
        super().__init__()
        self._store = store
        self._values = store.iterator(include_key=False)
        if not self._some(1):
            raise DataError(f"LevelDB '{store.path}' holds no record")
        self._begin_again()

    def _begin_again(self) -> None:
        self._store.end(self._values)
        self._values = self._store.iterator(include_key=False)

    def take(self, n: int) -> list[Buffer]:
        found: list[Buffer] = []
        while len(found) < n:
            wanted = n - len(found)
            new = self._some(wanted)
            found += new
            self._moved(len(new), wanted)
        return found

    def skip(self, n: int) -> None:
        while n > 0:
            wanted = min(n, 1000)
            passed = len(self._some(wanted))
            self._moved(passed, wanted)
            n -= passed

    def _some(self, wanted: int) -> list[bytes]:
        with _reading(self._store.path):
            return list(islice(self._values, wanted))

    def _moved(self, passed: int, wanted: int) -> None:
        self.position += passed
        if passed < wanted:
            self._begin_again()
            self.position = 0
            self.wraps += 1


class LeveldbWriter(Writer):
    """Writes with Caffe's options, in batches."""

    def __init__(self, path: str) -> None:
        _check_new(path)
        plyvel = library()
        super().__init__(path, folder_may_exist=True)
        try:
            self._database = plyvel.DB(
                os.fsencode(self._aside),
                create_if_missing=True,
                error_if_exists=True,
                block_size=BLOCK_BYTES,
                write_buffer_size=BUFFER_BYTES,
                max_open_files=OPEN_FILES,
            )
        except Exception as error:
            self.abort()
            raise _explained(error, f"LevelDB '{path}' cannot be written") from error
        log.info("db_leveldb.cpp:18", f"Opened leveldb {path}")

    def _write(self, records: list[tuple[bytes, Buffer]]) -> None:
        try:
            with self._database.write_batch() as batch:
                for key, value in records:
                    batch.put(key, bytes(value))
        except Exception as error:
            raise _explained(error, f"LevelDB '{self.path}' cannot be written") from error

    def _finish(self) -> None:
        self._database.close()

    def _move(self) -> None:
        if not os.path.isdir(self._target):
            super()._move()
            return
        _check_new(self.path)  # another process may have been faster
        # the folder was there, with other files: CURRENT, which makes it a database, goes last
        try:
            for name in sorted(os.listdir(self._aside), key=lambda name: name == "CURRENT"):
                os.replace(os.path.join(self._aside, name), os.path.join(self._target, name))
        except OSError as error:
            raise DataError(f"{self.path}: cannot be put in its place: {error.strerror}") from error
        shutil.rmtree(self._aside, ignore_errors=True)


def _check_new(path: str) -> None:
    if os.path.exists(os.path.join(path, "CURRENT")):
        raise DataError(
            f"Failed to open leveldb {path}: it holds a database already (it was left as it is); name another one"
        )


def _close(key: Key, iterators: set[Any]) -> None:
    """Iterators end before their database, whatever order the garbage collector would choose: LevelDB crashes otherwise."""
    for iterator in iterators:
        iterator.close()
    iterators.clear()
    _handles.release(key)


def library() -> Any:
    """plyvel, or the fork that stands in for it.  DataError if neither can be imported."""
    reasons = []
    for name in LIBRARIES:
        try:
            return import_module(name)
        except ImportError as error:
            reasons.append(str(error))
    raise DataError(
        f"LevelDB needs the Python package 'plyvel' or 'plyvel-next' ({'; '.join(reasons)}): pip install plyvel-next, or plyvel "
        "where Python is older than 3.12; LMDB needs nothing more: backend LMDB, -backend lmdb"
    )


def _open(path: str) -> Any:
    plyvel = library()
    cut = cut_log(path)
    if cut:
        raise DataError(
            f"LevelDB '{path}' is truncated: {cut} ends within a record (the copy is not complete, or who wrote it was killed); "
            "copy or convert it again"
        )
    log_name = missing_log(path)
    if log_name:
        log.warning(
            "db_leveldb.cpp:18",
            f"LevelDB '{path}' has no {log_name}, in which its newest records were, if that was not empty; copy the folder with its logs",
        )
    try:
        return plyvel.DB(
            os.fsencode(path),
            create_if_missing=False,
            paranoid_checks=True,
            block_size=BLOCK_BYTES,
            max_open_files=OPEN_FILES,
        )
    except Exception as error:
        raise _explained(error, f"Failed to open leveldb {path}") from error


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """What plyvel says of reading as ours."""
    try:
        yield
    except Exception as error:
        raise _explained(error, f"LevelDB '{path}' cannot be read") from error


def _explained(error: Exception, what: str) -> Exception:
    """plyvel's error as ours; an error of another kind stays as it is."""
    if not isinstance(error, (library().Error, OSError)):
        return error
    said = error.args[0] if error.args else ""
    text = " ".join(
        (said.decode(errors="replace") if isinstance(said, bytes) else str(error)).split()
    )
    if "No space" in text or "too large" in text:
        advice = ""
    elif text.startswith("IO error: lock "):
        advice = (
            "; another process has it open, and LevelDB allows one at a time: use LMDB where several processes read, "
            "or train -readers 1 for the ranks of one host"
        )
    elif "Permission denied" in text or "Read-only" in text:
        advice = "; LevelDB writes to its folder even for reading: make it writable, copy it, or use LMDB"
    else:
        advice = "; if it is damaged, convert it again"
    return DataError(f"{what}: {text}{advice}")
