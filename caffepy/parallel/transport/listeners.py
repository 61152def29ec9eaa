"""Sockets at which this process waits for others, and their end.  Linux; none elsewhere."""

from __future__ import annotations

import os
import select
import socket
from contextlib import suppress
from pathlib import Path

LISTENS = "0A"
"""Of a socket, in the kernel's table of TCP connections."""


def listeners() -> set[int]:
    """File descriptors of the TCP sockets that listen."""
    inodes = set()
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        with suppress(OSError):
            lines = [line.split() for line in Path(table).read_text().splitlines()[1:]]
            inodes |= {words[9] for words in lines if words[3] == LISTENS}
    descriptors = set()
    with suppress(OSError):
        for name in os.listdir("/proc/self/fd"):
            with suppress(OSError):
                if (
                    os.readlink(f"/proc/self/fd/{name}").removeprefix("socket:[").removesuffix("]")
                    in inodes
                ):
                    descriptors.add(int(name))
    return descriptors


def stop_listening(descriptors: set[int]) -> None:
    """Close these sockets without the knowledge of the library that has them.

    The library keeps the descriptors. They become sockets to which nobody connects. Where the
    library waits for them by epoll, the new ones are put there too: the gloo of torch 2.6 ends the
    process if it misses one.
    """
    for descriptor in descriptors:
        watchers = _watchers(descriptor)
        with socket.socket(
            type=socket.SOCK_DGRAM
        ) as silent:  # a TCP socket would be told of as hung up
            os.dup2(silent.fileno(), descriptor, inheritable=False)
        for watcher in watchers:
            with suppress(OSError), select.epoll.fromfd(os.dup(watcher)) as waiting:
                waiting.register(descriptor, 0)


def _watchers(descriptor: int) -> list[int]:
    """Descriptors of this process's epolls that wait for this one."""
    watchers = []
    for path in Path("/proc/self/fdinfo").glob("*"):
        with suppress(OSError):
            if any(
                line.split()[:2] == ["tfd:", str(descriptor)]
                for line in path.read_text().splitlines()
            ):
                watchers.append(int(path.name))
    return watchers


def allow_handles() -> None:
    """Let this process open as many files and sockets as it may ask for.

    Somebody who connects again and again must not use them up.
    """
    try:
        import resource
    except ImportError:  # Windows, which sets no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
