"""Files that appear whole or not at all, and checks of what can be read."""

from __future__ import annotations

import errno
import io
import mmap
import os
import select
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from caffepy.errors import CaffeError, WeightsError
from caffepy.proto.temporary import temporary_path

MAPPED_BYTES = 1 << 20
"""Files of this size and more are mapped."""
WRITER_S = 5.0
"""Seconds in which somebody must begin to write to a pipe that is read."""


@contextmanager
def atomic_write(
    path: str | os.PathLike[str], *, error: type[CaffeError] = WeightsError
) -> Iterator[Path]:
    """Yield a temporary path in the same folder, which takes the place of ``path`` on success.

    It is synced before, and removed if the block raises. So a crash, a full disk or a reader in
    between never meets half a snapshot. What a killed process left is removed where possible, see
    `temporary_path`. A device or pipe (``/dev/stdout``) is written directly.

    Any OSError, also one raised inside the block, becomes ``error`` with the path.
    """
    # /dev/stdout may lead to pipe:[123], which no path names
    named = Path(path)
    target = Path(os.path.realpath(path))
    direct = named.exists() and not named.is_file() and not named.is_dir()
    temporary = named if direct else Path(temporary_path(str(target)))
    try:
        yield temporary
        if not direct:
            _sync(temporary)
            os.replace(temporary, target)
            with suppress(OSError):  # some network file systems cannot sync a folder
                _sync(target.parent)
    except OSError as failure:
        reason = failure.strerror or str(failure)
        advice = "" if target.parent.is_dir() else f"; there is no folder {target.parent}"
        raise error(f"{os.fspath(path)}: cannot write it: {reason}{advice}") from failure
    finally:
        if not direct:
            with suppress(OSError):
                temporary.unlink()


def read_whole(path: str | os.PathLike[str]) -> memoryview:
    """The bytes of a file; a large one is mapped, not copied.

    WeightsError if it is missing, unreadable or empty.
    """
    file = os.fspath(path)
    try:
        data = _bytes(file)
    except FileNotFoundError:
        raise WeightsError(not_found(file)) from None
    except OSError as error:
        raise WeightsError(f"{file}: cannot read it: {error.strerror}") from None
    if not data:
        raise WeightsError(f"{file}: the file is empty")
    return memoryview(data)


def _bytes(file: str) -> bytes | mmap.mmap:
    with open_file(file) as stream:
        with suppress(OSError):  # a pipe, or a file system that maps no files
            if os.fstat(stream.fileno()).st_size >= MAPPED_BYTES:
                return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        return stream.read()


def open_file(path: str | bytes | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading, or read a pipe to its end.

    OSError as from ``open``, and for a pipe that nobody writes to, where ``open`` would wait for
    ever.
    """
    if not is_pipe(path):
        return open(path, "rb")
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as pipe:
        ready, _, _ = select.select([pipe], [], [], WRITER_S)
        start = pipe.read(1)  # None: its writer has written nothing yet
        if start == b"" and not ready:
            raise OSError(
                errno.EPIPE,
                "nobody writes to this pipe, whose bytes come only once; needed: a file",
                path,
            )
        os.set_blocking(pipe.fileno(), True)
        return io.BytesIO((start or b"") + pipe.readall())


def open_no_pipe(path: str | bytes | os.PathLike[str]) -> BinaryIO:
    """Open a file that is read more than once, or not from its start to its end.

    OSError as from ``open``, and for a pipe.
    """
    refuse_pipe(path)
    return open(path, "rb")


def refuse_pipe(path: str | bytes | os.PathLike[str]) -> None:
    """OSError for a pipe, where a file is read more than once or not from start to end."""
    if is_pipe(path):
        raise OSError(errno.ESPIPE, "it is a pipe; needed: a file")


def is_pipe(path: str | bytes | os.PathLike[str]) -> bool:
    """Whether ``path`` is a pipe, as of ``<(zcat weights.gz)``: its bytes come only once."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False


def not_found(file: str) -> str:
    """The message for a missing file, with the folder that a relative path counts from."""
    return f"File not found: {file}{from_here(file)}"


def from_here(path: str) -> str:
    """``" (looked in /the/working/folder)"`` for a relative path, else nothing."""
    return "" if os.path.isabs(path) else f" (looked in {os.getcwd()})"


def _sync(path: Path) -> None:
    """Ask the system to put a file or a folder's entries on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
