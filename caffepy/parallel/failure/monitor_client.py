"""A rank's connection to the monitor.

By it the rank tells where it is, asks before it says an error, and hears when the job is over.
"""

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
"""Rank 0 says an error that all ranks meet: the others wait so long before they ask.

Of a monitor that is gone the lowest rank that is left tells, in the same way.
"""
LONGEST_STAGGER_S = 3.0
LIFE_SIGNS_PER_S = 200
"""What the monitor gets from all ranks together: few ranks tell more often where they are."""
SHORTEST_PERIOD_S = 0.1
CONNECT_S = 10.0
"""How long a rank tries to connect to a monitor to which many others connect."""
ANY_ADDRESS = ""
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class MonitorAddress:
    """Where the monitor is.

    ``local``: the name of its socket, for ranks of its host. ``port``: for the others, 0 if it has
    none.
    """

    host: str
    addresses: list[str]
    port: int
    token: str
    local: str = ""


class MonitorClient:
    """One connected rank, and the thread that keeps the connection."""

    def __init__(
        self,
        communicator: Communicator,
        connection: socket.socket,
        *,
        timeout_s: float,
        reaches_all: bool,
    ) -> None:
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

    def wait_to_speak(self) -> None:
        """Called by a rank that fails: return when it may say why.

        If another rank failed first, the process ends in here, and says nothing.
        """
        if not self._communicator.is_root:
            time.sleep(STAGGER_S)
        self._send("may")
        self._allowed.wait(2 * END_S)

    def said(self) -> None:
        """The failing rank has said why: the others may end."""
        self._send("said")

    def bye(self) -> None:
        """The work is done.

        The connection stays open until the process ends: until then the monitor watches it.
        """
        self._closing.set()
        self._send("bye")

    def _keep(self) -> None:
        """The thread: give signs of life, and listen."""
        period = self._communicator.size / LIFE_SIGNS_PER_S
        period = min(PERIOD_S, max(SHORTEST_PERIOD_S, period))
        stall = StallDetector(self._timeout_s)
        heard = next_sign = time.monotonic()
        unread = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._connection, selectors.EVENT_READ)
            while True:
                now = time.monotonic()
                if now >= next_sign:
                    self._tell_place(stall)
                    next_sign = now + period
                data = self._receive() if selector.select(next_sign - now) else None
                if self._closing.is_set():
                    return
                awake = time.monotonic()
                was_suspended = awake - now > 3 * PERIOD_S  # what others did since is not known
                if data or was_suspended:
                    heard = awake
                if data == b"" or awake - heard > self._timeout_s:
                    self._end_without_monitor()
                *lines, unread = (unread + (data or b"")).split(b"\n")
                if b"end" in lines:
                    os._exit(1)
                if b"yes" in lines:
                    self._allowed.set()

    def _tell_place(self, stall: StallDetector) -> None:
        """A sign of life, and whether the main thread stands still."""
        place = " ".join(str(self._communicator.place).split())
        self._send(f"at {place}")
        if stall.held_s(place) > stall.limit_s:
            self._send(f"still {stall.limit_s:g}")

    def _send(self, line: str) -> None:
        with self._sending, contextlib.suppress(OSError):  # the thread notices a broken connection
            self._connection.sendall(f"{line}\n".encode())

    def _receive(self) -> bytes:
        try:
            return self._connection.recv(4096)
        except OSError:
            return b""

    def _end_without_monitor(self) -> None:
        """Rank 0's host is gone, or somebody killed the monitor.

        The lowest rank that is left says so, and the job ends.
        """
        rank, host = self._communicator.rank, self._communicator.host
        time.sleep(min(rank * STAGGER_S, LONGEST_STAGGER_S))
        log.fatal(
            "monitor_client.py",
            f"rank {rank} on {host}: the monitor beside rank 0 is gone, "
            "and perhaps its host with it; the job ends",
        )
        os._exit(1)


def connect_to_monitor(
    communicator: Communicator, timeout_s: float, local: LocalMonitor | None
) -> MonitorClient | None:
    """Connect every rank to the monitor beside rank 0.  Collective.

    ``local``: this rank's connection to the monitor of its own host. None for a rank that cannot
    reach rank 0's, with a warning of rank 0: the job then runs without being watched.
    """
    names = communicator.allgather_object(local.name if local is not None else "")
    address = None
    if communicator.is_root:
        if names[0] and all(name == names[0] for name in names):
            address = MonitorAddress(communicator.host, [], 0, "", names[0])
        else:
            interface = ANY_ADDRESS if len(communicator.groups) > 1 else LOOPBACK
            address = _open(communicator, local, timeout_s, interface)
    address = communicator.bcast_object(address)
    connection = _connect(communicator, address, local) if address is not None else None
    connected = communicator.allgather_object(connection is not None)
    if communicator.is_root and not all(connected):
        unwatched = ", ".join(str(rank) for rank, is_there in enumerate(connected) if not is_there)
        log.warning(
            "monitor_client.py",
            f"ranks {unwatched} cannot reach the monitor beside rank 0; "
            "if one of them dies, the others may hang",
        )
    if connection is None:
        return None
    return MonitorClient(communicator, connection, timeout_s=timeout_s, reaches_all=all(connected))


def _open(
    communicator: Communicator, local: LocalMonitor | None, timeout_s: float, interface: str
) -> MonitorAddress | None:
    """Let ranks connect through the network: to this host's monitor, or to a new one.

    ``interface``: the address to listen at. None if this system gives no socket or no process.
    """
    if local is not None:
        answer = local.ask(f"open {interface}", "port") or "port 0 none"
        _, port, token = answer.split()
        if port == "0":
            return None
        return MonitorAddress(communicator.host, own_addresses(), int(port), token, local.name)
    token = secrets.token_hex(16)
    backlog = max(128, communicator.size)
    try:
        with socket.create_server((interface, 0), backlog=backlog) as listener:
            start_monitor(listener, timeout_s, token=token)
            number = listener.getsockname()[1]
            return MonitorAddress(communicator.host, own_addresses(), number, token)
    except OSError as error:
        log.warning("monitor_client.py", f"cannot start the monitor ({error})")
        return None


def _connect(
    communicator: Communicator, address: MonitorAddress, local: LocalMonitor | None
) -> socket.socket | None:
    """A connection on which the monitor has answered; None if it cannot be reached."""
    if local is not None and local.name == address.local:
        return _without_timeout(local.connection) if local.ask("join", "ok") else None
    candidates = list(address.addresses)
    if address.host == communicator.host:
        candidates.insert(0, LOOPBACK)
    deadline = time.monotonic() + CONNECT_S
    while True:
        for candidate in candidates:
            connection = _join(communicator, candidate, address)
            if connection is not None:
                if local is not None:
                    local.tell("elsewhere")
                return _without_timeout(connection)
        if time.monotonic() > deadline:
            return None
        time.sleep(SHORTEST_PERIOD_S)


def _join(
    communicator: Communicator, candidate: str, address: MonitorAddress
) -> socket.socket | None:
    connection = connect_to_first([candidate], address.port)
    if connection is None:
        return None
    with contextlib.suppress(OSError):
        prove(connection, address.token)
        hello = f"hello {communicator.rank} {os.getpid()} {communicator.host}\njoin\n"
        connection.sendall(hello.encode())
        if exactly(connection, 3) == b"ok\n":
            return connection
    connection.close()
    return None


def _without_timeout(connection: socket.socket) -> socket.socket:
    connection.settimeout(None)
    return connection
