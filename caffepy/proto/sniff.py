"""What a file is that was taken for another; for the end of an error message."""

from __future__ import annotations

from caffepy.proto import wire


def holds_state(data: memoryview) -> bool:
    """True for a binary SolverState: it begins with its iteration, a number, where a net begins with its name or a layer."""
    try:
        first = next(wire.scan(data, 0, len(data)), None)
    except wire.WireError:
        return False
    return first is not None and first.number == 1 and first.kind == wire.VARINT


def what_it_is(data: memoryview) -> str:
    """``"; it is a ..."`` where the content tells, else nothing."""
    start = bytes(data[:512])
    if start.startswith(b"version https://git-lfs"):
        return "; it is a Git LFS pointer: fetch the file itself with 'git lfs pull'"
    if start.startswith(b"\x89HDF"):
        return "; it is an HDF5 file"
    if all(byte >= 32 or byte in b"\t\r\n" for byte in start):
        return "; it looks like text"
    return ""
