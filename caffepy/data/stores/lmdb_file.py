"""Checks that an LMDB's ``data.mdb`` is complete.

The library maps the file, and ends the process by a bus error where its end is missing.
"""

# Layout (LMDB 0.9, 64 bit, host byte order): each page starts with a 16-byte header: number u64,
# pad u16, flags u16, then lower and upper bounds of free space u16 (or, on overflow pages, their
# count u32). Pages 0 and 1 are two copies of the meta data: magic u32, version u32, address u64,
# map size u64, two databases of 48 bytes (free list, main), last page u64, transaction u64. A node:
# data size u32 (on branches the low half of the child's number), flags u16, key size u16, key,
# data.

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from caffepy.errors import DataError

MAGIC = 0xBEEFC0DE
HEADER = 16
BRANCH, META = 0x01, 0x08
BIG_DATA, NO_PAGE = 0x01, 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True)
class Meta:
    """The content of the newer meta page."""

    page_size: int
    root: int
    entries: int
    last_page: int
    transaction: int


def check_complete(path: str, data_file: str) -> None:
    """DataError if ``data_file`` is no LMDB or lacks pages that its records need.

    ``path``: its folder as the user wrote it.
    """
    with _readable(path, data_file) as file:
        size = os.fstat(file.fileno()).st_size
        meta = _newer_meta(file.fileno())
        if meta is None:
            raise DataError(f"LMDB '{path}': data.mdb ({size} bytes) is no LMDB file")
        needed = (meta.last_page + 1) * meta.page_size
        # pages that were allocated last and freed again may never have been written: then only the
        # tree can tell
        if size < needed and not _tree_inside(file.fileno(), meta, size):
            raise DataError(
                f"LMDB '{path}' is truncated: data.mdb has {size} bytes, its {meta.entries}"
                f" records need {needed}; copy or convert it again"
            )
        if size % meta.page_size or meta.entries > size or not _is_root(file.fileno(), meta):
            raise DataError(
                f"LMDB '{path}': data.mdb ({size} bytes) is damaged; copy or convert it again"
            )


def sound_records(path: str, data_file: str) -> Iterator[int]:
    """The number of records of each leaf page, in order, after a check of that page.

    Page and records must be inside the file. The library checks no offset and no size: one that
    points beyond the file ends the process. Raises DataError.
    """
    with _readable(path, data_file) as file:
        meta = _newer_meta(file.fileno())
        if meta is not None:
            yield from _leaves(file.fileno(), meta, os.fstat(file.fileno()).st_size)


@contextmanager
def _readable(path: str, data_file: str) -> Iterator[BinaryIO]:
    try:
        with open(data_file, "rb") as file:
            yield file
    except OSError as error:
        raise DataError(f"LMDB '{path}': data.mdb cannot be read: {error.strerror}") from error
    except struct.error as error:
        raise DataError(f"LMDB '{path}': data.mdb is damaged; copy or convert it again") from error


def _read_at(descriptor: int, n_bytes: int, offset: int) -> bytes:
    # os.pread is not on every system
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, n_bytes)


def _newer_meta(descriptor: int) -> Meta | None:
    first = _meta(_read_at(descriptor, 256, 0))
    if first is None:
        return None
    second = _meta(_read_at(descriptor, 256, first.page_size))
    return second if second is not None and second.transaction > first.transaction else first


def _meta(page: bytes) -> Meta | None:
    if len(page) < 152 or not int.from_bytes(page[10:12], "little") & META:
        return None
    magic, version = struct.unpack_from("<II", page, HEADER)
    page_size = struct.unpack_from("<I", page, HEADER + 24)[0]
    entries, root, last_page, transaction = struct.unpack_from("<QQQQ", page, HEADER + 24 + 48 + 32)
    if magic != MAGIC or version not in (1, 999) or page_size < 256 or page_size & (page_size - 1):
        return None
    return Meta(page_size, root, entries, last_page, transaction)


def _is_root(descriptor: int, meta: Meta) -> bool:
    """Whether the main database's root page is at its place.

    A file transfer as text adds bytes, which moves all pages.
    """
    if meta.root == NO_PAGE:
        return True
    return (
        meta.root <= meta.last_page
        and int.from_bytes(_read_at(descriptor, 8, meta.root * meta.page_size), "little")
        == meta.root
    )


def _tree_inside(descriptor: int, meta: Meta, size: int) -> bool:
    """Whether every page of the main database's tree is within the file's ``size`` bytes."""
    try:
        for _ in _leaves(descriptor, meta, size):
            pass
    except struct.error:
        return False
    return True


def _leaves(descriptor: int, meta: Meta, size: int) -> Iterator[int]:
    """The records of each leaf of the main database's tree; see `_leaves_below`."""
    if meta.root != NO_PAGE:
        yield from _leaves_below(descriptor, meta, meta.root, size, set())


def _leaves_below(
    descriptor: int, meta: Meta, number: int, size: int, branches: set[int]
) -> Iterator[int]:
    """The number of records of each leaf below page ``number``.

    ``branches``: pages that were passed. struct.error if a page, a record or an offset is not
    inside ``size`` bytes, or a branch leads back.
    """
    page_size = meta.page_size
    if number in branches or (number + 1) * page_size > size:
        raise struct.error("a page is in the tree twice, or not within the file")
    page = _read_at(descriptor, page_size, number * page_size)
    flags, lower = struct.unpack_from("<HH", page, 10)
    if flags & BRANCH:
        branches.add(number)
    nodes = struct.unpack_from(f"<{max(lower - HEADER, 0) // 2}H", page, HEADER)
    for offset in nodes:
        low, high, node_flags, key_size = struct.unpack_from("<HHHH", page, offset)
        data = offset + 8 + key_size
        if flags & BRANCH:
            if data > page_size:
                raise struct.error("a key is not within its page")
            yield from _leaves_below(
                descriptor, meta, low | high << 16 | node_flags << 32, size, branches
            )
            continue
        start = 0
        if node_flags & BIG_DATA:
            start = int(struct.unpack_from("<Q", page, data)[0]) * page_size
            data = HEADER
            end = size
        else:
            end = page_size
        if start + data + (low | high << 16) > end:
            raise struct.error("a record is not within the file")
    if not flags & BRANCH:
        yield len(nodes)
