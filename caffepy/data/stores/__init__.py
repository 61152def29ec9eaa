"""Databases by the name of their backend: ``lmdb`` or ``leveldb``."""

from __future__ import annotations

from collections.abc import Callable

from caffepy.data.stores.base import Buffer, Cursor, Store, Writer
from caffepy.errors import DataError, nearest

__all__ = ["BACKENDS", "STAND_IN", "Buffer", "Cursor", "Store", "Writer", "open_read", "open_write"]

BACKENDS = ("leveldb", "lmdb")
"""In the order of their numbers in ``DataParameter.DB``."""

STAND_IN = "STAND_IN"
"""A file of this name marks a data set or a database with substitutes for the real images."""


def open_read(path: str, backend: str) -> Store:
    """Open a database for reading.

    DataError if it is missing, of another kind, damaged, or locked.

    ``backend``: also ``raw-N``, a file of records of N bytes each.
    """
    kind, _, size = backend.partition("-")
    if kind == "raw":
        from caffepy.data.stores import raw_file

        return raw_file.open_read(path, int(size))
    return _choose(backend)[0](path)


def open_write(path: str, backend: str) -> Writer:
    """A new database, which gets its name when `Writer.close` has run.

    DataError if there is one already.
    """
    return _choose(backend)[1](path)


def _choose(backend: str) -> tuple[Callable[[str], Store], Callable[[str], Writer]]:
    # each library is loaded only when its backend is asked for
    if backend == "lmdb":
        from caffepy.data.stores import db_lmdb

        return db_lmdb.open_read, db_lmdb.open_write
    if backend == "leveldb":
        from caffepy.data.stores import db_leveldb

        return db_leveldb.open_read, db_leveldb.open_write
    raise DataError(
        f"Unknown database backend '{backend}'{nearest(backend, BACKENDS)}; needed:"
        f" {' or '.join(BACKENDS)}"
    )
