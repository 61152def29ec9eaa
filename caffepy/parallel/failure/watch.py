"""A rank's line to the sentinel: it tells where the rank is, asks before an error is said, and hears when the job is over."""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import socket
import threading
import time
from dataclasses import dataclass

from caffepy import log
from caffepy.parallel.failure.doorway import exactly, prove
from caffepy.parallel.failure.near import Near, start_sentinel
from caffepy.parallel.failure.sentinel import END_S, PERIOD_S
from caffepy.parallel.failure.standstill import Standstill
from caffepy.parallel.launch.addresses import connect_to_first, own_addresses
from caffepy.parallel.transport.communicator import Communicator

STAGGER_S = 0.3
"""Of an error that all ranks meet, rank 0 speaks: the others wait this long before they ask. Of a lost sentinel, the lowest rank left."""
LONGEST_STAGGER_S = 3.0
BEATS_PER_S = 200
"""Signs of life that the sentinel hears from all ranks together; of few ranks it then knows better where they are."""
SHORTEST_BEAT_S = 0.1
ENLIST_S = 10.0
"""How long a rank tries to reach a sentinel to which many others come."""
EVERYWHERE, THIS_HOST = "", "127.0.0.1"
"""Addresses to listen at."""


@dataclass(frozen=True)
class Post:
    """Where the sentinel is to be found: by ranks of this host that know its ``near`` name, by others at ``port``, if it has one."""

    host: str
    addresses: list[str]
    port: int
    token: str
    near: str = ""


class Watch:
    """One connected rank, and the thread that keeps the connection."""

    def __init__(self, communicator: Communicator, connection: socket.socket, *, timeout_s: float, reaches_all: bool) -> None:
        """``reaches_all``: every rank has such a connection."""
        self.reaches_all = reaches_all
        self._communicator = communicator
        self._connection = connection
        self._timeout_s = timeout_s
        self._allowed = threading.Event()
        self._closing = threading.Event()
        self._sending = threading.Lock()
        self._thread = threading.Thread(target=self._keep, name="watch", daemon=True)
        self._thread.start()

    def wait_for_word(self) -> None:
        """Called by a rank that fails: return when it may say why. If another failed first, the process ends in here, silently."""
        if not self._communicator.is_root:
            time.sleep(STAGGER_S)
        self._send("may")
        self._allowed.wait(2 * END_S)

    def said(self) -> None:
        """The failing rank has said why: the others may end."""
        self._send("said")

    def bye(self) -> None:
        """The work is done and nothing is left but to end the process, which closes the connection: until then the rank is watched."""
        self._closing.set()
        self._send("bye")

    def _keep(self) -> None:
        """The thread: signs of life, the last of them when the main thread stands still, and an open ear."""
        heard, unread = time.monotonic(), b""
        period = min(PERIOD_S, max(SHORTEST_BEAT_S, self._communicator.size / BEATS_PER_S))
        standstill = Standstill(self._timeout_s)
        with selectors.DefaultSelector() as selector:
            selector.register(self._connection, selectors.EVENT_READ)
            beat = heard
            while True:
                now = time.monotonic()
                if now >= beat:
                    place = " ".join(str(self._communicator.place).split())
                    self._send(f"at {place}")
                    if standstill.asked(place) > standstill.limit_s:
                        self._send(f"still {standstill.limit_s:g}")
                    beat = now + period
                data = self._receive() if selector.select(beat - now) else None
                if self._closing.is_set():
                    return
                woken = time.monotonic()
                if data or woken - now > 3 * PERIOD_S:  # the second: this process was suspended, and knows nothing of the others
                    heard = woken
                if data == b"" or woken - heard > self._timeout_s:
                    self._end_without_sentinel()
                *lines, unread = (unread + (data or b"")).split(b"\n")
                if b"end" in lines:
                    os._exit(1)
                if b"yes" in lines:
                    self._allowed.set()

    def _send(self, line: str) -> None:
        with self._sending, contextlib.suppress(OSError):  # the thread notices a broken connection
            self._connection.sendall(f"{line}\n".encode())

    def _receive(self) -> bytes:
        try:
            return self._connection.recv(4096)
        except OSError:
            return b""

    def _end_without_sentinel(self) -> None:
        """Rank 0's host is gone, or somebody killed the sentinel: the lowest rank that is left says so and ends the job."""
        rank, host = self._communicator.rank, self._communicator.host
        time.sleep(min(rank * STAGGER_S, LONGEST_STAGGER_S))
        log.fatal("watch.py", f"rank {rank} on {host}: the sentinel beside rank 0 is gone, and perhaps its host with it; the job ends")
        os._exit(1)


def start_watch(communicator: Communicator, timeout_s: float, near: Near | None) -> Watch | None:
    """Let every rank be heard by the sentinel beside rank 0; ``near``: the rank's connection to that of its own host.  Collective.

    None, with a warning of rank 0, for a rank that cannot reach it: the job then runs without this safety.
    """
    names = communicator.allgather_object(near.name if near is not None else "")
    if communicator.is_root:
        far = any(name != names[0] for name in names) or not names[0]
        address = EVERYWHERE if len(communicator.groups) > 1 else THIS_HOST
        post = _open(communicator, near, timeout_s, address) if far else Post(communicator.host, [], 0, "", names[0])
    else:
        post = None
    post = communicator.bcast_object(post)
    connection = _enlist(communicator, post, near) if post is not None else None
    reached = communicator.allgather_object(connection is not None)
    if communicator.is_root and not all(reached):
        unwatched = ", ".join(str(rank) for rank, reaches in enumerate(reached) if not reaches)
        log.warning("watch.py", f"ranks {unwatched} cannot reach the sentinel beside rank 0; if one of them dies, the others may hang")
    if connection is None:
        return None
    return Watch(communicator, connection, timeout_s=timeout_s, reaches_all=all(reached))


def _open(communicator: Communicator, near: Near | None, timeout_s: float, address: str) -> Post | None:
    """Let ranks come through the network: to this host's sentinel, or to a new one; None if this system gives no socket or process."""
    if near is not None:
        _, port, token = (near.ask(f"open {address}", "port") or "port 0 none").split()
        return Post(communicator.host, own_addresses(), int(port), token, near.name) if port != "0" else None
    token = secrets.token_hex(16)
    try:
        with socket.create_server((address, 0), backlog=max(128, communicator.size)) as listener:
            start_sentinel(listener, timeout_s, token=token)
            return Post(communicator.host, own_addresses(), listener.getsockname()[1], token)
    except OSError as error:
        log.warning("watch.py", f"cannot start the sentinel ({error})")
        return None


def _enlist(communicator: Communicator, post: Post, near: Near | None) -> socket.socket | None:
    """A connection on which the sentinel has answered; None if it cannot be reached."""
    if near is not None and near.name == post.near:
        return _heard(near.connection) if near.ask("join", "ok") else None
    until = time.monotonic() + ENLIST_S
    addresses = [*([THIS_HOST] if post.host == communicator.host else []), *post.addresses]
    while True:
        for address in addresses:
            connection = _join(communicator, address, post)
            if connection is not None:
                if near is not None:
                    near.tell("elsewhere")
                return _heard(connection)
        if time.monotonic() > until:
            return None
        time.sleep(SHORTEST_BEAT_S)


def _join(communicator: Communicator, address: str, post: Post) -> socket.socket | None:
    connection = connect_to_first([address], post.port)
    if connection is None:
        return None
    with contextlib.suppress(OSError):
        prove(connection, post.token)
        connection.sendall(f"hello {communicator.rank} {os.getpid()} {communicator.host}\njoin\n".encode())
        if exactly(connection, 3) == b"ok\n":
            return connection
    connection.close()
    return None


def _heard(connection: socket.socket) -> socket.socket:
    connection.settimeout(None)
    return connection
