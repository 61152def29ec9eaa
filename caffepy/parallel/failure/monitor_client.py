"""A rank's line to the monitor: it tells where the rank is, asks before an error is said, and hears when the job is over."""

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
from caffepy.parallel.failure.admission import exactly, prove
from caffepy.parallel.failure.local_monitor import LocalMonitor, start_monitor
from caffepy.parallel.failure.monitor import END_S, PERIOD_S
from caffepy.parallel.failure.stall import StallDetector
from caffepy.parallel.launch.addresses import connect_to_first, own_addresses
from caffepy.parallel.transport.communicator import Communicator

STAGGER_S = 0.3
"""Of an error that all ranks meet, rank 0 speaks: the others wait this long before they ask. Of a lost monitor, the lowest rank left."""
LONGEST_STAGGER_S = 3.0
BEATS_PER_S = 200
"""Signs of life that the monitor hears from all ranks together; of few ranks it then knows better where they are."""
SHORTEST_BEAT_S = 0.1
REACH_S = 10.0
"""How long a rank tries to reach a monitor to which many others come."""
EVERYWHERE, THIS_HOST = "", "127.0.0.1"
"""Addresses to listen at."""


@dataclass(frozen=True)
class MonitorAddress:
    """Where the monitor is to be found: by ranks of this host that know its ``local`` name, by others at ``port``, if it has one."""

    host: str
    addresses: list[str]
    port: int
    token: str
    local: str = ""


class MonitorClient:
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
        self._thread = threading.Thread(target=self._keep, name="monitor client", daemon=True)
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
        stall = StallDetector(self._timeout_s)
        with selectors.DefaultSelector() as selector:
            selector.register(self._connection, selectors.EVENT_READ)
            beat = heard
            while True:
                now = time.monotonic()
                if now >= beat:
                    place = " ".join(str(self._communicator.place).split())
                    self._send(f"at {place}")
                    if stall.held_s(place) > stall.limit_s:
                        self._send(f"still {stall.limit_s:g}")
                    beat = now + period
                data = self._receive() if selector.select(beat - now) else None
                if self._closing.is_set():
                    return
                woken = time.monotonic()
                if data or woken - now > 3 * PERIOD_S:  # the second: this process was suspended, and knows nothing of the others
                    heard = woken
                if data == b"" or woken - heard > self._timeout_s:
                    self._end_without_monitor()
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

    def _end_without_monitor(self) -> None:
        """Rank 0's host is gone, or somebody killed the monitor: the lowest rank that is left says so and ends the job."""
        rank, host = self._communicator.rank, self._communicator.host
        time.sleep(min(rank * STAGGER_S, LONGEST_STAGGER_S))
        log.fatal(
            "monitor_client.py", f"rank {rank} on {host}: the monitor beside rank 0 is gone, and perhaps its host with it; the job ends"
        )
        os._exit(1)


def connect_to_monitor(communicator: Communicator, timeout_s: float, local: LocalMonitor | None) -> MonitorClient | None:
    """Let every rank be heard by the monitor beside rank 0; ``local``: the rank's connection to that of its own host.  Collective.

    None, with a warning of rank 0, for a rank that cannot reach it: the job then runs without this safety.
    """
    names = communicator.allgather_object(local.name if local is not None else "")
    if communicator.is_root:
        far = any(name != names[0] for name in names) or not names[0]
        address = EVERYWHERE if len(communicator.groups) > 1 else THIS_HOST
        target = _open(communicator, local, timeout_s, address) if far else MonitorAddress(communicator.host, [], 0, "", names[0])
    else:
        target = None
    target = communicator.bcast_object(target)
    connection = _reach_monitor(communicator, target, local) if target is not None else None
    reached = communicator.allgather_object(connection is not None)
    if communicator.is_root and not all(reached):
        unwatched = ", ".join(str(rank) for rank, reaches in enumerate(reached) if not reaches)
        log.warning(
            "monitor_client.py", f"ranks {unwatched} cannot reach the monitor beside rank 0; if one of them dies, the others may hang"
        )
    if connection is None:
        return None
    return MonitorClient(communicator, connection, timeout_s=timeout_s, reaches_all=all(reached))


def _open(communicator: Communicator, local: LocalMonitor | None, timeout_s: float, address: str) -> MonitorAddress | None:
    """Let ranks come through the network: to this host's monitor, or to a new one; None if this system gives no socket or process."""
    if local is not None:
        _, port, token = (local.ask(f"open {address}", "port") or "port 0 none").split()
        return MonitorAddress(communicator.host, own_addresses(), int(port), token, local.name) if port != "0" else None
    token = secrets.token_hex(16)
    try:
        with socket.create_server((address, 0), backlog=max(128, communicator.size)) as listener:
            start_monitor(listener, timeout_s, token=token)
            return MonitorAddress(communicator.host, own_addresses(), listener.getsockname()[1], token)
    except OSError as error:
        log.warning("monitor_client.py", f"cannot start the monitor ({error})")
        return None


def _reach_monitor(communicator: Communicator, target: MonitorAddress, local: LocalMonitor | None) -> socket.socket | None:
    """A connection on which the monitor has answered; None if it cannot be reached."""
    if local is not None and local.name == target.local:
        return _heard(local.connection) if local.ask("join", "ok") else None
    until = time.monotonic() + REACH_S
    addresses = [*([THIS_HOST] if target.host == communicator.host else []), *target.addresses]
    while True:
        for address in addresses:
            connection = _join(communicator, address, target)
            if connection is not None:
                if local is not None:
                    local.tell("elsewhere")
                return _heard(connection)
        if time.monotonic() > until:
            return None
        time.sleep(SHORTEST_BEAT_S)


def _join(communicator: Communicator, address: str, target: MonitorAddress) -> socket.socket | None:
    connection = connect_to_first([address], target.port)
    if connection is None:
        return None
    with contextlib.suppress(OSError):
        prove(connection, target.token)
        connection.sendall(f"hello {communicator.rank} {os.getpid()} {communicator.host}\njoin\n".encode())
        if exactly(connection, 3) == b"ok\n":
            return connection
    connection.close()
    return None


def _heard(connection: socket.socket) -> socket.socket:
    connection.settimeout(None)
    return connection
