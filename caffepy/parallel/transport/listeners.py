"""Sockets at which this process waits for others, and their end.  Linux; elsewhere there seem to be none."""

from __future__ import annotations

import os
import resource
import socket
from contextlib import suppress
from pathlib import Path

LISTENS = "0A"
"""The state in the kernel's table."""


def listeners() -> set[int]:
    """File descriptors of the TCP sockets that listen."""
    inodes = set()
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        with suppress(OSError):
            lines = [line.split() for line in Path(table).read_text().splitlines()[1:]]
            inodes |= {words[9] for words in lines if words[3] == LISTENS}
    found = set()
    with suppress(OSError):
        for name in os.listdir("/proc/self/fd"):
            with suppress(OSError):
                if os.readlink(f"/proc/self/fd/{name}").removeprefix("socket:[").removesuffix("]") in inodes:
                    found.add(int(name))
    return found


def stop_listening(descriptors: set[int]) -> None:
    """Close these sockets behind the back of the library that has them, which keeps the numbers, of sockets that nobody comes to."""
    for descriptor in descriptors:
        with socket.socket() as silent:
            os.dup2(silent.fileno(), descriptor, inheritable=False)


def allow_handles() -> None:
    """Let this process have as many files and sockets open as it may ask for: who connects again and again must not use them up."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
