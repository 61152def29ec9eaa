"""A rank as the monitor knows it."""

from __future__ import annotations

import contextlib
import socket
import time
from dataclasses import dataclass, field


@dataclass
class Peer:
    """One connection: a rank, once it said hello."""

    socket: socket.socket
    heard: float
    rank: int = -1
    pid: int = 0
    host: str = ""
    place: str = "the start"
    moved: float = field(default_factory=time.monotonic)
    """When it came to this place."""
    unread: bytes = b""
    local: bool = False
    """Its process is of this host, as the kernel says."""
    joined: bool = False
    """It gives signs of life from now on."""
    elsewhere: bool = False
    left: bool = False
    dropped: bool = False

    def name(self) -> str:
        """``rank 1 on host7 (pid 4711, last seen at iteration 120)``."""
        return f"rank {self.rank} on {self.host} (pid {self.pid}, last seen at {self.place})"

    def tell(self, line: str) -> None:
        """Send one line; a peer that is gone or does not read is none of our worry."""
        with contextlib.suppress(OSError):
            self.socket.send(f"{line}\n".encode())
