"""Names beside a file or folder, under which a thread makes it before it takes its place.

And the end of those of killed processes.
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
    """The name under which this thread makes ``target``: ``<target>.tmp.<pid>.<machine>``, with ``-<tid>`` after pid in a later thread.

    What processes that are no more have left under such names is removed. Only of this machine
    since its last start, seen from the same container, is it known which those are: where others
    work on the same file system, theirs stay.
    """
    machine = _machine()
    folder, name = os.path.split(target)
    ours = re.compile(rf"{re.escape(name)}\.tmp\.([1-9]\d*)(?:-\d+)?\.{machine}")
    if machine:
        with suppress(OSError):  # a folder that cannot be listed, or is not there
            for other in os.listdir(folder or "."):
                found = ours.fullmatch(other)
                if found and not _lives(int(found[1])):
                    _remove(os.path.join(folder, other))
    thread = (
        "" if threading.current_thread() is threading.main_thread() else f"-{threading.get_ident()}"
    )
    return f"{target}.tmp.{os.getpid()}{thread}" + (f".{machine}" if machine else "")


@cache
def _machine() -> str:
    """Eight digits for this machine since its start and its process numbers as they are seen from here; empty where nobody tells."""
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
    # killed, but not asked for by its parent: in some containers nobody ever does
    return state not in (b"Z", b"X")


def _remove(path: str) -> None:
    with suppress(OSError):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.remove(path)
