"""A small process beside rank 0 that says, once, which rank died, and tells the others to end.

It is a process of its own, in a session of its own, because launchers act first: Hydra was measured to kill every rank within 3 ms after
one is killed, before a thread of any rank gets to write a line. It ends with the job and holds nothing but one socket a rank.

A connection that closes without a goodbye is a dead process; the kernel closes it before the launcher can learn of the death, so
on one host the first to close is the first to have died. A rank that is silent while others are heard is stopped or cut off.
Ranks that all live and all stay where they are may wait for each other, or for a layer that never returns: that is told and left to people.

Lines from a rank: ``hello TOKEN RANK PID HOST``, ``at PLACE`` (every second or more often), ``still SECONDS`` (its work stands still),
``may`` (I fail: may I say why?), ``said``, ``bye``.
Lines to a rank: ``ok`` (heard), ``yes`` (you may), ``end`` (the job is over).
"""

from __future__ import annotations

import contextlib
import math
import selectors
import signal
import socket
import sys
import time
from dataclasses import dataclass, field

from caffepy import log

PERIOD_S = 1.0
LIVELY_S = 3 * PERIOD_S
"""Ranks not heard for longer are not known to be well."""
START_S = 120.0
END_S = 5.0
"""How long ranks that were told to end are waited for, and a failing rank to say why."""


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
    left: bool = False

    def name(self) -> str:
        """``rank 1 on host7 (pid 4711, last seen at iteration 120)``."""
        return f"rank {self.rank} on {self.host} (pid {self.pid}, last seen at {self.place})"

    def tell(self, line: str) -> None:
        """Send one line; a peer that is gone or does not read is none of our worry."""
        with contextlib.suppress(OSError):
            self.socket.send(f"{line}\n".encode())


@dataclass
class Sentinel:
    """``listener``: where ranks connect. ``token``: what they must say. ``timeout_s``: silence after which a rank counts as lost."""

    listener: socket.socket
    token: str
    timeout_s: float
    patience_s: float = math.inf
    """Seconds without any rank's coming further that are worth a warning."""
    warned: bool = False
    peers: dict[int, Peer] = field(default_factory=dict)
    speaker: Peer | None = None
    """The rank that was allowed to say why it fails."""
    asked: float = 0.0
    """When it asked."""
    met: bool = False
    """Some rank has said hello."""
    over: float | None = None
    """When the ranks were told to end."""
    started: float = field(default_factory=time.monotonic)

    def run(self) -> None:
        """Until every rank has left."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.listener, selectors.EVENT_READ)
            while self.wanted(time.monotonic()):
                for key, _ in selector.select(PERIOD_S / 2):
                    if key.fileobj is self.listener:
                        connection, _ = self.listener.accept()
                        connection.settimeout(END_S)
                        self.peers[connection.fileno()] = Peer(connection, time.monotonic())
                        selector.register(connection, selectors.EVENT_READ)
                    elif not self.read(self.peers[key.fd]):
                        selector.unregister(key.fileobj)
                        self.part(self.peers.pop(key.fd))
                self.look_for_silence(time.monotonic())
                self.look_for_standstill(time.monotonic())

    def wanted(self, now: float) -> bool:
        """There are ranks to watch, or to wait for."""
        if self.over is not None:
            return bool(self.peers) and now - self.over < END_S
        return any(peer.rank >= 0 for peer in self.peers.values()) or (now - self.started < START_S and not self.met)

    def read(self, peer: Peer) -> bool:
        """Take in what ``peer`` sent, by one read: its end of file must not overtake another's. False when it closed."""
        try:
            data = peer.socket.recv(4096)
        except OSError:
            data = b""
        self.hear(peer, time.monotonic())
        *lines, peer.unread = (peer.unread + data).split(b"\n")
        for line in lines:
            self.take(peer, *line.decode(errors="replace").partition(" ")[::2])
        return bool(data) and not peer.left

    def hear(self, peer: Peer, now: float) -> None:
        """Note a sign of life. After a time when nothing was heard of anybody (the whole job was suspended), everyone starts afresh."""
        if now - max(other.heard for other in self.peers.values()) > LIVELY_S:
            for other in self.peers.values():
                other.heard = other.moved = now
        peer.heard = now

    def take(self, peer: Peer, word: str, rest: str) -> None:
        """One line of a rank."""
        if word == "hello":
            token, rank, pid, peer.host = rest.split(" ", 3)
            if token != self.token:
                peer.left = True
                return
            peer.rank, peer.pid, self.met = int(rank), int(pid), True
            peer.tell("ok")
        elif peer.rank < 0:
            peer.left = True
        elif word == "at":
            if rest != peer.place:
                peer.place, peer.moved = rest, peer.heard
            peer.tell("ok")
        elif word == "still":
            self.report(peer, f"stands still for {rest} s there, and waits for no other rank")
        elif word == "may" and self.speaker is None and self.over is None:
            self.speaker, self.asked = peer, time.monotonic()
            peer.tell("yes")
        elif word == "said":
            self.end()
        elif word == "bye":
            peer.left = True

    def part(self, peer: Peer) -> None:
        """``peer`` closed its connection."""
        peer.socket.close()
        if peer.rank >= 0 and not peer.left:
            self.report(peer, "died")

    def look_for_silence(self, now: float) -> None:
        """Report a rank that is silent while another is heard, and go on without the words of one that failed and then hung."""
        if self.speaker is not None and self.over is None and now - self.asked > END_S:
            self.end()
        ranks = [peer for peer in self.peers.values() if peer.rank >= 0]
        silent = [peer for peer in ranks if now - peer.heard > self.timeout_s]
        if silent and any(now - peer.heard < LIVELY_S for peer in ranks):
            self.report(silent[0], f"gave no sign of life for {self.timeout_s:g} s: it is stopped, or its host cannot be reached")

    def look_for_standstill(self, now: float) -> None:
        """Warn, once, when no rank has come any further for long, though all of them live and have left the start."""
        ranks = sorted((peer for peer in self.peers.values() if peer.rank >= 0), key=lambda peer: peer.rank)
        if not ranks or now - max(peer.moved for peer in ranks) <= self.patience_s:
            self.warned = False
        elif not (self.warned or self.over or self.speaker) and all(
            now - peer.heard < LIVELY_S and peer.place != Peer.place for peer in ranks
        ):
            self.warned = True
            places: dict[str, list[str]] = {}
            for peer in ranks:
                places.setdefault(peer.place, []).append(str(peer.rank))
            where = "; ".join(f"rank{'s' * (len(there) > 1)} {', '.join(there)} at {place}" for place, there in places.items())
            advice = "a layer may never return, or the ranks wait for each other; the job goes on"
            log.warning("sentinel.py", f"no rank has come any further for {self.patience_s:g} s: {where}; {advice}")

    def report(self, peer: Peer, what: str) -> None:
        """Say once what happened to ``peer``, and end the job."""
        if self.over is None and self.speaker in (None, peer):
            log.fatal("sentinel.py", f"{peer.name()} {what}; the job ends")
            self.end()

    def end(self) -> None:
        """Tell every rank that is left to end."""
        self.over = self.over or time.monotonic()
        for peer in self.peers.values():
            peer.tell("end")


def main(arguments: list[str]) -> None:
    """``arguments``: file descriptor of the listening socket, token, time-out and patience in seconds, whether log lines have a prefix."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # meant for the ranks; this process ends when they have
    descriptor, token, timeout_s, patience_s, prefix = arguments
    log.configure(prefix=prefix == "1")
    with socket.socket(fileno=int(descriptor)) as listener:
        Sentinel(listener, token, float(timeout_s), float(patience_s)).run()


if __name__ == "__main__":
    main(sys.argv[1:])
