"""What kind of file a wrong file is, by its first bytes; for the end of an error message."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from itertools import islice

from caffepy.proto import wire

BEGINNINGS = {
    b"version https://git-lfs": "a Git LFS pointer: fetch the file itself with 'git lfs pull'",
    b"\x89HDF": "an HDF5 file",
    b"PK\x03\x04": "a zip file, such as torch.save and numpy.savez write",
    b"\x93NUMPY": "an array of numpy",
    b"\x1f\x8b": "a gzip file: unpack it first",
}
PAGES = re.compile(rb"\s*<(?:.*?<)?(?:!doctype\s+html|html)\b", re.DOTALL)
"""Comments and an XML declaration may come before."""
HEADER_LENGTH_BYTES, LONGEST_HEADER_BYTES = 8, 100_000_000
"""Of a safetensors file: it begins with the length of its head, which is JSON."""
MEAN_AXES = 4


def as_utf8(data: bytes) -> bytes:
    """The bytes of a text without a byte order mark, UTF-16 (from Windows) converted to UTF-8."""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        data = data.decode("utf-16", errors="replace").encode()
    return data.removeprefix(BOM_UTF8)


def kind_by_start(data: bytes) -> str:
    """The kind of a file that begins with ``data``, with an article; empty if unknown."""
    if PAGES.match(data[:512].removeprefix(BOM_UTF8).lower()):
        return "a web page (HTML), as a browser or a wrong address gives it: fetch the file itself"
    return next((kind for start, kind in BEGINNINGS.items() if data.startswith(start)), "")


def holds_state(data: memoryview) -> bool:
    """True for a binary SolverState.

    It begins with its iteration, a number, where a net begins with its name or a layer.
    """
    try:
        first = next(wire.scan(data, 0, len(data)), None)
    except wire.WireError:
        return False
    return (
        first is not None
        and first.number == 1
        and first.kind == wire.VARINT
        and not holds_mean(data)
    )


def holds_mean(data: memoryview) -> bool:
    """True for a binary BlobProto, as mean files are: it begins with four numbers.

    These are num, channels, height and width.
    """
    try:
        first = [
            (entry.number, entry.kind) for entry in islice(wire.scan(data, 0, len(data)), MEAN_AXES)
        ]
    except wire.WireError:
        return False
    return first == [(number, wire.VARINT) for number in range(1, MEAN_AXES + 1)]


def kind_note(data: memoryview) -> str:
    """``"; it is a ..."`` if the content is known, else nothing."""
    start = bytes(data[:512])
    if known := kind_by_start(start):
        return f"; it is {known}"
    if (
        start[HEADER_LENGTH_BYTES:].startswith(b'{"')
        and int.from_bytes(start[:HEADER_LENGTH_BYTES], "little") <= LONGEST_HEADER_BYTES
    ):
        return "; it is a safetensors file"
    if all(byte >= 32 or byte in b"\t\r\n" for byte in start):
        return "; it looks like text"
    return ""
