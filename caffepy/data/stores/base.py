"""The interface of databases: values in key order, and a writer."""

from __future__ import annotations

import errno
import os
import shutil
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, TypeAlias

from caffepy.errors import DataError
from caffepy.proto.temporary import temporary_path

if TYPE_CHECKING:
    from typing_extensions import Self

Buffer: TypeAlias = bytes | memoryview

MOST_KEY_BYTES = 80
"""Bytes of a key in a message."""
COMMIT_RECORDS = 1000
COMMIT_BYTES = 2 << 20
"""Limits of what is written at once.

They are so low that the same memory is reused: new memory costs more time than the writing.
"""


class Keys:
    """The keys of a database, by index."""

    def __init__(self, keys: Iterable[bytes]) -> None:
        joined = bytearray()
        ends = array("q", [0])
        for key in keys:
            joined += key
            ends.append(len(joined))
        self._joined = bytes(joined)
        self._ends = ends

    def __getitem__(self, index: int) -> bytes:
        return self._joined[self._ends[index] : self._ends[index + 1]]


class Cursor(ABC):
    """A position in a store, which advances in key order, and from the last record to the first.

    ``position``: index of the next record. ``wraps``: how often the end was passed.
    """

    def __init__(self) -> None:
        self.position = 0
        self.wraps = 0

    @abstractmethod
    def take(self, n: int) -> list[Buffer]:
        """The next ``n`` values.  They are valid as long as the store is open."""

    @abstractmethod
    def skip(self, n: int) -> None:
        """Skip ``n`` records."""


class Store(ABC):
    """A database opened for reading.  ``path`` is as the user wrote it."""

    path: str

    @abstractmethod
    def __len__(self) -> int:
        """Number of records; LevelDB has to walk through all keys the first time."""

    def known_length(self) -> int:
        """Number of records if it is known without reading all of them, else 0."""
        return 0

    @abstractmethod
    def cursor(self) -> Cursor:
        """A new cursor at the first record.  DataError if there is none."""

    @abstractmethod
    def items(self) -> Iterator[tuple[bytes, Buffer]]:
        """Keys and values in key order, once."""

    @abstractmethod
    def pick(self, positions: Sequence[int]) -> list[Buffer]:
        """The values of these records, by index in key order; the first call reads all keys."""

    @abstractmethod
    def close(self) -> None:
        """Close the database; buffers taken from it are no longer valid."""

    def first(self) -> Buffer:
        """The first value.  DataError if there is none."""
        return self.cursor().take(1)[0]

    def key(self, position: int) -> str:
        """The key at this index, for messages."""
        for i, (key, _) in enumerate(self.items()):
            if i == position:
                text = key[:MOST_KEY_BYTES].decode(errors="backslashreplace")
                text = text if text.isprintable() else text.encode("unicode_escape").decode()
                return text if len(key) <= MOST_KEY_BYTES else f"{text}... ({len(key)} bytes)"
        return "?"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class PickingCursor(Cursor):
    """A cursor of a store that finds each record by its index as fast as the next one."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store

    def take(self, n: int) -> list[Buffer]:
        start = self.position
        self.skip(n)
        return self._store.pick([place % len(self._store) for place in range(start, start + n)])

    def skip(self, n: int) -> None:
        # as in a database, the end is passed when the record after it is wanted
        place = self.position + n
        length = len(self._store)
        rounds = max(0, place - 1) // length if n > 0 else 0
        self.position = place - rounds * length
        self.wraps += rounds


class Writer(ABC):
    """A new database, written under a temporary name and renamed by `close`.

    As a context manager it is removed if the block raises. Records may come in any order; a key
    that comes again replaces the first value.
    """

    def __init__(self, path: str, *, folder_may_exist: bool = False) -> None:
        if not path:
            raise DataError(
                "the database has an empty name; needed: the name of a folder that is not there yet"
            )
        self.path = path
        self._target = path.rstrip("/") or path
        self._aside = temporary_path(self._target)
        self._pending: list[tuple[bytes, Buffer]] = []
        self._pending_bytes = 0
        if os.path.lexists(self._target) and not (folder_may_exist and os.path.isdir(self._target)):
            raise _exists(path)
        try:
            # left by a killed process with the same pid
            shutil.rmtree(self._aside, ignore_errors=True)
            os.mkdir(self._aside)
        except OSError as error:
            raise DataError(
                f"mkdir {path} failed: {error.strerror}; looked in {os.getcwd()}"
            ) from error

    def put(self, key: bytes, value: Buffer) -> None:
        """Add one record.

        `commit` writes it, which is called after every 1000 records or 2 MiB.
        """
        self._pending.append((key, value))
        self._pending_bytes += len(value)
        if len(self._pending) >= COMMIT_RECORDS or self._pending_bytes >= COMMIT_BYTES:
            self.commit()

    def commit(self) -> None:
        """Write all records that were put."""
        if self._pending:
            self._write(self._pending)
        self._pending = []
        self._pending_bytes = 0

    @abstractmethod
    def _write(self, records: list[tuple[bytes, Buffer]]) -> None:
        """Write these records in one transaction."""

    @abstractmethod
    def _finish(self) -> None:
        """Sync and close the files in ``self._aside``."""

    def close(self) -> None:
        """Write the rest and give the database its name."""
        try:
            self.commit()
            self._finish()
            self._move()
        except BaseException:
            self.abort()
            raise

    def _move(self) -> None:
        try:
            os.rename(self._aside, self._target)
        except OSError as error:
            if os.path.lexists(self._target):  # another process has made it meanwhile
                raise _exists(self.path) from error
            raise DataError(
                f"{self.path}: cannot be put in its place: {error.strerror}; looked in"
                f" {os.getcwd()}"
            ) from error

    def abort(self) -> None:
        """Remove everything that was written."""
        self._pending = []
        with suppress(Exception):
            self._finish()
        shutil.rmtree(self._aside, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()


def _exists(path: str) -> DataError:
    return DataError(
        f"mkdir {path} failed: it exists already; remove it or name another database (it was"
        " left as it is)"
    )


def why_unwritten(error: object, folder: str, needed_bytes: int) -> str:
    """The reason of a failed write; LMDB calls a full disk an input/output error."""
    if shutil.disk_usage(folder).free < needed_bytes:
        return f"No space left on device ({error})"
    return str(error)


def missing(path: str, kind: str) -> DataError:
    """The error for a database that does not exist, or cannot be accessed."""
    if os.path.isdir(path) and not os.access(path, os.X_OK):
        return DataError(f"{kind} '{path}' cannot be read: {os.strerror(errno.EACCES)}")
    if os.path.isdir(path):
        return DataError(f"folder '{path}' holds no {kind} (looked in {os.getcwd()})")
    if os.path.isfile(path):
        return DataError(f"{kind} '{path}' is a file; needed: the folder of a database")
    home = ", written out: '~' stands for itself here" if path.startswith("~") else ""
    return DataError(
        f"{kind} '{path}' does not exist (looked in {os.getcwd()}); give the folder of a"
        f" database{home}"
    )
