"""Temporary names beside a file or folder, and the removal of what killed processes left there.

A file is written under a temporary name and then renamed, so that nobody reads half of it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import threading
from contextlib import suppress
from functools import cache


def temporary_path(target: str) -> str:
    """The temporary name of this thread for ``target``.

    It is ``<target>.tmp.<pid>.<machine>``, with ``-<tid>`` after the pid in a thread that is not
    the main one.

    What ended processes left under such names is removed. Which processes have ended is known only
    for this machine since its last start, and for the same container. So the files of other
    machines on a shared file system stay.
    """
    machine = _machine()
    if machine:
        _remove_of_ended_processes(target, machine)
    is_main = threading.current_thread() is threading.main_thread()
    thread = "" if is_main else f"-{threading.get_ident()}"
    return f"{target}.tmp.{os.getpid()}{thread}" + (f".{machine}" if machine else "")


def _remove_of_ended_processes(target: str, machine: str) -> None:
    folder, name = os.path.split(target)
    pattern = re.compile(rf"{re.escape(name)}\.tmp\.([1-9]\d*)(?:-\d+)?\.{machine}")
    with suppress(OSError):  # the folder cannot be listed, or does not exist
        for other in os.listdir(folder or "."):
            match = pattern.fullmatch(other)
            if match and not _lives(int(match[1])):
                _remove(os.path.join(folder, other))


@cache
def _machine() -> str:
    """Eight digits for this machine since its start and for its process namespace, or ""."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as stream:
            seen = f"{stream.read()} {os.stat('/proc/self/ns/pid').st_ino} {os.uname().nodename}"
    except OSError:
        return ""
    return hashlib.sha256(seen.encode()).hexdigest()[:8]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            state = stream.read().rpartition(b")")[2].split()[0]
    except OSError:
        return True
    # a zombie: its parent has not waited for it, and in some containers never does
    return state not in (b"Z", b"X")


def _remove(path: str) -> None:
    with suppress(OSError):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.remove(path)
