"""Database handles that are shared inside a process: both libraries refuse to open one database twice.

A train and a test net often read the same one.
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
    """Open handles by the identity of a file, counted.

    The last one to give a handle back closes it.
    """

    _open: dict[Key, Any] = field(default_factory=dict)
    _users: dict[Key, int] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    """Also against the garbage collector, which may have a handle given back in the middle of `acquire`, by the same thread."""

    def acquire(self, file: str, opener: Callable[[], Any]) -> tuple[Key, Any]:
        """The handle for the database that ``file`` belongs to, opened if need be, and the key to give it back with."""
        status = os.stat(file)
        key = status.st_dev, status.st_ino
        with self._lock:
            if key not in self._open:
                self._open[key], self._users[key] = opener(), 0
            self._users[key] += 1
            return key, self._open[key]

    def release(self, key: Key) -> None:
        """Give a handle back."""
        with self._lock:
            self._users[key] -= 1
            if self._users[key] == 0:
                del self._users[key]
                self._open.pop(key).close()
