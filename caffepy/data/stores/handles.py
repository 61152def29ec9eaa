"""Database handles shared within a process.

Both libraries refuse to open a database twice, and a train and a test net often read the same one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Key = tuple[int, int]


@dataclass(eq=False)
class Handles:
    """Open handles by the identity of a file, with the number of users.

    The last user to release a handle closes it.
    """

    _open: dict[Key, Any] = field(default_factory=dict)
    _users: dict[Key, int] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    """Reentrant: the garbage collector may release a handle during `acquire`, in the same thread.
    """

    def acquire(self, file: str, opener: Callable[[], Any]) -> tuple[Key, Any]:
        """The handle of the database of ``file``, opened if needed, and the key to release it."""
        status = os.stat(file)
        key = status.st_dev, status.st_ino
        with self._lock:
            if key not in self._open:
                self._open[key] = opener()
                self._users[key] = 0
            self._users[key] += 1
            return key, self._open[key]

    def release(self, key: Key) -> None:
        """Release a handle."""
        with self._lock:
            self._users[key] -= 1
            if self._users[key] == 0:
                del self._users[key]
                self._open.pop(key).close()
