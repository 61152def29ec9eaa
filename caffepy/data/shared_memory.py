"""Memory that processes of one host share: a file without a name that all of them map.

It is a memfd and not a file of /dev/shm, which containers keep small. It ends with the last process
that maps it.
"""

from __future__ import annotations

import mmap
import os
import sys
import tempfile
from typing import Any


class SharedFile:
    """A new shared memory.

    ``path``: where other processes find it, until `forget`.
    """

    def __init__(self, n_bytes: int) -> None:
        create: Any = getattr(os, "memfd_create", None)
        self._named = sys.platform != "linux" or create is None
        if self._named:
            self._descriptor, self.path = tempfile.mkstemp(prefix="caffepy")
        else:
            self._descriptor = create("caffepy")
            self.path = f"/proc/{os.getpid()}/fd/{self._descriptor}"
        os.ftruncate(self._descriptor, n_bytes)
        self.memory = mmap.mmap(self._descriptor, n_bytes)

    def forget(self) -> None:
        """Close the file: processes that mapped it keep it, and no other can map it."""
        os.close(self._descriptor)
        if self._named:
            os.unlink(self.path)


def attach(path: str, n_bytes: int) -> mmap.mmap:
    """Map the `SharedFile` of another process."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        return mmap.mmap(descriptor, n_bytes)
    finally:
        os.close(descriptor)
