"""Are a LevelDB's log files there, and whole?

The newest records stand in a log until LevelDB moves them to a table. It takes a log that ends
within a record for one whose writer was killed, and a log that is missing for one without records:
what is cut, or left out of a copy, is gone without a word. So this is looked at before LevelDB
opens the folder.
"""

# A log is a row of blocks. A record is divided into pieces that each lie within a block: a header
# of 7 bytes (checksum u32, length u16, kind u8), then the bytes. The rest of a block that is too
# short for a header stays empty. The manifest is such a log, too. Each of its records is a change
# of the list of files: pairs of a tag and what belongs to it (LevelDB's version_edit.cc).

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

BLOCK_BYTES = 32768
HEADER_BYTES = 7
EMPTY, FULL, FIRST, MIDDLE, LAST = range(5)

(
    COMPARATOR,
    LOG_NUMBER,
    NEXT_FILE,
    LAST_SEQUENCE,
    COMPACT_POINTER,
    DELETED_FILE,
    NEW_FILE,
    _,
    PREVIOUS_LOG,
) = range(1, 10)
FIELDS_OF = {
    COMPARATOR: "b",
    LOG_NUMBER: "n",
    NEXT_FILE: "n",
    LAST_SEQUENCE: "n",
    COMPACT_POINTER: "nb",
    DELETED_FILE: "nn",
    NEW_FILE: "nnnbb",
    PREVIOUS_LOG: "n",
}
"""What follows a tag: numbers (n), and bytes after their number (b)."""


class Cut(Exception):
    """A log ends within a record."""


TOLD_BY_LEVELDB = (OSError, ValueError, IndexError, struct.error)
"""Damage, and files that may not be read: the library has words for them."""


def cut_log(path: str) -> str:
    """The name of a log in a LevelDB's folder that ends within a record; empty if there is none."""
    with suppress(*TOLD_BY_LEVELDB):
        for name in sorted(os.listdir(path)):
            if name.endswith(".log") and _ends_within_a_record(os.path.join(path, name)):
                return name
    return ""


def missing_log(path: str) -> str:
    """The name of the log that a LevelDB's manifest names last, if it is not in the folder."""
    with suppress(*TOLD_BY_LEVELDB):
        name = _current_log(path)
        if name and not os.path.exists(os.path.join(path, name)):
            return name
    return ""


def _ends_within_a_record(file: str) -> bool:
    with open(file, "rb") as log:
        try:
            for _ in _pieces(log):
                pass
        except Cut:
            return True
    return False


def _current_log(path: str) -> str:
    """The name of the log that the manifest names last."""
    with open(os.path.join(path, "CURRENT"), encoding="ascii") as current:
        manifest = current.read().strip()
    number = 0
    with open(os.path.join(path, manifest), "rb") as file, suppress(Cut):
        record = b""
        for kind, start, length in _pieces(file):
            file.seek(start)
            record = file.read(length) if kind in (FULL, FIRST) else record + file.read(length)
            if kind in (FULL, LAST):
                number = _log_number(record) or number
    return f"{number:06}.log" if number else ""


def _pieces(log: BinaryIO) -> Iterator[tuple[int, int, int]]:
    """Kind, start and length of each piece of a record.  Cut where the last one is not whole."""
    size = os.fstat(log.fileno()).st_size
    place, begun = 0, False
    while place < size:
        left = BLOCK_BYTES - place % BLOCK_BYTES
        if left < HEADER_BYTES:
            place += left
            continue
        log.seek(place)
        header = log.read(HEADER_BYTES)
        if len(header) < HEADER_BYTES:
            raise Cut
        length, kind = struct.unpack_from("<HB", header, 4)
        if kind == EMPTY:  # old LevelDBs made their files longer than what they wrote
            place += left
            continue
        place += HEADER_BYTES
        if place + length > size:
            raise Cut
        yield kind, place, length
        begun = kind in (FIRST, MIDDLE)
        place += length
    if begun:
        raise Cut


def _log_number(edit: bytes) -> int:
    """The number of the log that a change of the list of files names; 0 if it names none."""
    place, log = 0, 0
    while place < len(edit):
        tag, place = _number(edit, place)
        for field in FIELDS_OF.get(tag, ""):
            value, place = _number(edit, place)
            if tag == LOG_NUMBER:
                log = value
            if field == "b":
                place += value
        if tag not in FIELDS_OF:
            break
    return log


def _number(data: bytes, place: int) -> tuple[int, int]:
    """A number in groups of 7 bits, the lowest first, and the place after it."""
    value, shift = 0, 0
    while True:
        byte = data[place]
        value |= (byte & 0x7F) << shift
        place += 1
        shift += 7
        if byte < 0x80:
            return value, place
