"""A rank's line to the sentinel: it tells where the rank is, asks before an error is said, and hears when the job is over."""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from caffepy import log
from caffepy.parallel.addresses import connect_to_first, own_addresses
from caffepy.parallel.communicator import Communicator
from caffepy.parallel.sentinel import END_S, PERIOD_S
from caffepy.parallel.standstill import Standstill

STAGGER_S = 0.3
"""Of an error that all ranks meet, rank 0 speaks: the others wait this long before they ask. Of a lost sentinel, the lowest rank left."""
LONGEST_STAGGER_S = 3.0
BEATS_PER_S = 200
"""Signs of life that the sentinel hears from all ranks together; of few ranks it then knows better where they are."""
SHORTEST_BEAT_S = 0.1
PATIENCE_S = 600.0
"""Ranks that all live and all stay where they are for longer are worth a warning."""
PACKAGE_PARENT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Post:
    """Where the sentinel is to be found."""

    host: str
    addresses: list[str]
    port: int
    token: str


class Watch:
    """One connected rank, and the thread that keeps the connection."""

    def __init__(
        self,
        communicator: Communicator,
        connection: socket.socket,
        *,
        timeout_s: float,
        reaches_all: bool,
        sentinel: subprocess.Popen[bytes] | None,
    ) -> None:
        """``reaches_all``: every rank has such a connection. ``sentinel``: the process, at the rank that started it."""
        self.reaches_all = reaches_all
        self._communicator = communicator
        self._connection = connection
        self._timeout_s = timeout_s
        self._sentinel = sentinel
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

    def close(self) -> None:
        """Part in good order, all ranks together; rank 0 waits for the sentinel, so that no process of this job is left."""
        self._closing.set()
        self._send("bye")
        self._thread.join(END_S)
        self._connection.close()
        if self._sentinel is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._sentinel.wait(END_S)

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


def start_watch(communicator: Communicator, timeout_s: float) -> Watch | None:
    """Start the sentinel beside rank 0 and connect every rank to it.  Collective.

    None, with a warning of rank 0, for a rank that cannot reach it: the job then runs without this safety.
    """
    sentinel, post = _start_sentinel(communicator, timeout_s) if communicator.is_root else (None, None)
    post = communicator.bcast_object(post)
    connection = _enlist(communicator, post) if post is not None else None
    reached = communicator.allgather_object(connection is not None)
    if communicator.is_root and not all(reached):
        unwatched = ", ".join(str(rank) for rank, reaches in enumerate(reached) if not reaches)
        log.warning("watch.py", f"ranks {unwatched} cannot reach the sentinel beside rank 0; if one of them dies, the others may hang")
    if connection is None:
        return None
    return Watch(communicator, connection, timeout_s=timeout_s, reaches_all=all(reached), sentinel=sentinel)


def _start_sentinel(communicator: Communicator, timeout_s: float) -> tuple[subprocess.Popen[bytes] | None, Post | None]:
    """The process and where to find it; nothing if this system gives neither a socket nor a process."""
    token = secrets.token_hex(8)
    code = f"import sys; sys.path.insert(0, {str(PACKAGE_PARENT)!r}); from caffepy.parallel.sentinel import main; main(sys.argv[1:])"
    try:
        with socket.create_server(("", 0), backlog=communicator.size) as listener:
            descriptor = listener.fileno()
            arguments = [str(descriptor), token, str(timeout_s), str(PATIENCE_S), str(int(log.sink.prefix))]
            sentinel = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", code, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(descriptor,),
                start_new_session=True,
            )
            return sentinel, Post(communicator.host, own_addresses(), listener.getsockname()[1], token)
    except OSError as error:
        log.warning("watch.py", f"cannot start the sentinel ({error})")
        return None, None


def _enlist(communicator: Communicator, post: Post) -> socket.socket | None:
    """A connection on which the sentinel has answered; None if it cannot be reached."""
    near = ["127.0.0.1"] if post.host == communicator.host else []
    for address in [*near, *post.addresses]:
        connection = connect_to_first([address], post.port)
        if connection is None:
            continue
        with contextlib.suppress(OSError):
            connection.sendall(f"hello {post.token} {communicator.rank} {os.getpid()} {communicator.host}\n".encode())
            if connection.recv(3) == b"ok\n":
                connection.settimeout(None)
                return connection
        connection.close()
    return None
