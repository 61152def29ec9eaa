"""A rank as the monitor knows it."""

from __future__ import annotations

import contextlib
import socket
import time
from dataclasses import dataclass, field

from caffepy.parallel.launch.place import START


@dataclass
class Peer:
    """One connection.  It is a rank's from its line ``hello`` on; until then ``rank`` is -1.

    ``heard``: when its last line came. ``place``: where the rank is in its work.
    """

    socket: socket.socket
    heard: float
    rank: int = -1
    pid: int = 0
    host: str = ""
    place: str = START
    moved: float = field(default_factory=time.monotonic)
    """When it came to this place."""
    unread: bytes = b""
    """The beginning of a line whose end has not come yet."""
    local: bool = False
    """Its process is of this host: the kernel says so."""
    joined: bool = False
    """It has met the other ranks, and gives signs of life from now on."""
    elsewhere: bool = False
    """Another host's monitor watches it."""
    left: bool = False
    """It has said that its work is done."""
    dropped: bool = False
    """The connection is to be closed."""

    def name(self) -> str:
        """``rank 1 on host7 (pid 4711, last seen at iteration 120)``."""
        return rank_words(self.rank, self.host, self.pid, self.place)

    def tell(self, line: str) -> None:
        """Send one line.  A peer that is gone or does not read misses it."""
        with contextlib.suppress(OSError):
            self.socket.send(f"{line}\n".encode())


def rank_words(rank: int, host: str, pid: int | str, place: str = START) -> str:
    """A rank as messages name it."""
    return f"rank {rank} on {host} (pid {pid}, last seen at {place})"


def places_of(ranks: list[Peer]) -> str:
    """``ranks 0, 1 at iteration 8; rank 2 at iteration 7``."""
    places: dict[str, list[str]] = {}
    for peer in sorted(ranks, key=lambda peer: peer.rank):
        places.setdefault(peer.place, []).append(str(peer.rank))
    return "; ".join(
        f"rank{'s' if len(numbers) > 1 else ''} {', '.join(numbers)} at {place}"
        for place, numbers in places.items()
    )
