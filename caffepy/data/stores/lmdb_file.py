"""Is an LMDB's ``data.mdb`` complete?  The library maps the file and dies by a bus error where its end is missing."""

# Layout (LMDB 0.9, 64 bit, host byte order): each page starts with a 16-byte header: number u64, pad u16, flags u16, then
# lower and upper bounds of free space u16 (or, on overflow pages, their count u32). Pages 0 and 1 are two copies of the
# meta data: magic u32, version u32, address u64, map size u64, two databases of 48 bytes (free list, main), last page
# u64, transaction u64. A node: data size u32 (on branches the low half of the child's number), flags u16, key size u16, key, data.

from __future__ import annotations

import os
import struct
from dataclasses import dataclass

from caffepy.errors import DataError

MAGIC = 0xBEEFC0DE
HEADER = 16
BRANCH, LEAF, META = 0x01, 0x02, 0x08
BIG_DATA, NO_PAGE = 0x01, 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True)
class Meta:
    """What the newer meta page says."""

    page_size: int
    root: int
    entries: int
    last_page: int
    transaction: int


def check_complete(path: str, data_file: str) -> None:
    """DataError if ``data_file`` is no LMDB or lacks pages that its records need; ``path`` is its folder as the user wrote it."""
    try:
        with open(data_file, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            meta = _newer_meta(file.fileno())
            if meta is None:
                raise DataError(f"LMDB '{path}': data.mdb ({size} bytes) is no LMDB file")
            needed = (meta.last_page + 1) * meta.page_size
            # pages that were allocated last and freed again may never have been written: then only the tree can tell
            if size < needed and not _tree_inside(file.fileno(), meta, size // meta.page_size):
                raise DataError(
                    f"LMDB '{path}' is truncated: data.mdb has {size} bytes, its {meta.entries} records need {needed}; "
                    "copy or convert it again"
                )
            if size % meta.page_size or not _is_root(file.fileno(), meta):
                raise DataError(f"LMDB '{path}': data.mdb ({size} bytes) is damaged; copy or convert it again")
    except OSError as error:
        raise DataError(f"LMDB '{path}': data.mdb cannot be read: {error.strerror}") from error
    except struct.error as error:
        raise DataError(f"LMDB '{path}': data.mdb is damaged; copy or convert it again") from error


def _newer_meta(descriptor: int) -> Meta | None:
    first = _meta(os.pread(descriptor, 256, 0))
    if first is None:
        return None
    second = _meta(os.pread(descriptor, 256, first.page_size))
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
    """Whether the main database's root lies where it should: a transfer as text puts bytes in and moves all pages."""
    if meta.root == NO_PAGE:
        return True
    return int.from_bytes(os.pread(descriptor, 8, meta.root * meta.page_size), "little") == meta.root


def _tree_inside(descriptor: int, meta: Meta, pages: int) -> bool:
    """Whether every page of the main database's tree is among the file's first ``pages``."""
    todo = [] if meta.root == NO_PAGE else [meta.root]
    while todo:
        number = todo.pop()
        if number >= pages:
            return False
        page = os.pread(descriptor, meta.page_size, number * meta.page_size)
        flags, lower = struct.unpack_from("<HH", page, 10)
        for offset in struct.unpack_from(f"<{(lower - HEADER) // 2}H", page, HEADER):
            low, high, node_flags, key_size = struct.unpack_from("<HHHH", page, offset)
            if flags & BRANCH:
                todo.append(low | high << 16 | node_flags << 32)
            elif flags & LEAF and node_flags & BIG_DATA:
                start: int = struct.unpack_from("<Q", page, offset + 8 + key_size)[0]
                if start + (HEADER + (low | high << 16) - 1) // meta.page_size >= pages:
                    return False
    return True
