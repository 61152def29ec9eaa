"""A file of records of one size, contiguous and without keys."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Sequence

from caffepy import log
from caffepy.data.stores.base import Buffer, Cursor, PickingCursor, Store
from caffepy.errors import DataError
from caffepy.proto.atomic import open_no_pipe


def open_read(path: str, record_bytes: int) -> RawStore:
    """Map a file of records of ``record_bytes`` bytes.  DataError if it is no such file."""
    return RawStore(path, record_bytes)


class RawStore(Store):
    """Values are views of the mapped file; the key of a record is its number."""

    def __init__(self, path: str, record_bytes: int) -> None:
        self.path = path
        self._each = record_bytes
        try:
            with open_no_pipe(path) as file:
                size = os.fstat(file.fileno()).st_size
                if not size or size % record_bytes:
                    raise DataError(
                        f"'{path}' has {size} bytes; needed: a multiple of {record_bytes}, the"
                        " size of a record"
                    )
                self._bytes = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except OSError as error:
            raise DataError(
                f"'{path}' cannot be opened: {error.strerror} (looked in {os.getcwd()})"
            ) from error
        log.info("raw_file.py:0", f"Opened data file {path}")

    def __len__(self) -> int:
        return len(self._bytes) // self._each

    def known_length(self) -> int:
        return len(self)

    def cursor(self) -> Cursor:
        return PickingCursor(self)

    def items(self) -> Iterator[tuple[bytes, Buffer]]:
        for position in range(len(self)):
            yield b"%08d" % position, self.pick([position])[0]

    def pick(self, positions: Sequence[int]) -> list[Buffer]:
        return [
            self._bytes[position * self._each : (position + 1) * self._each]
            for position in positions
        ]

    def close(self) -> None:
        """Nothing to do: the map ends with its last view."""
