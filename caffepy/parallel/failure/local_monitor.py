"""How a rank finds the monitor of its host before it meets the other ranks, and starts it where it is the first.  Linux."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from dataclasses import dataclass

from caffepy import log
from caffepy.parallel.failure import processes
from caffepy.parallel.failure.admission import peer_of
from caffepy.parallel.failure.early_monitor import PATIENCE_S, command, early, name_of
from caffepy.parallel.failure.monitor import END_S, TOKEN
from caffepy.parallel.launch.environment import Launch

ATTEMPTS = 3
BETWEEN_S = 0.02


@dataclass
class LocalMonitor:
    """A connection to this host's monitor.  ``name``: of the socket, the same for all ranks of one launcher on one host."""

    connection: socket.socket
    name: str
    monitor: subprocess.Popen[bytes] | None = None
    """The process, where this one started it."""

    def ask(self, line: str, begin: str) -> str:
        """Send a line; the answer that begins with ``begin``, or nothing if none comes. When the job is over, the process ends in here."""
        unread = b""
        with contextlib.suppress(OSError):
            self.connection.settimeout(2 * END_S)
            self.connection.sendall(f"{line}\n".encode())
            while data := self.connection.recv(4096):
                *lines, unread = (unread + data).split(b"\n")
                for answer in lines:
                    if answer == b"end":
                        os._exit(1)
                    if answer.startswith(begin.encode()):
                        return answer.decode()
        return ""

    def tell(self, line: str) -> None:
        """Send a line that has no answer."""
        with contextlib.suppress(OSError):
            self.connection.sendall(f"{line}\n".encode())

    def close(self) -> None:
        """Leave the monitor, and wait for its end where this process started it."""
        self.connection.close()
        if self.monitor is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.monitor.wait(END_S)


def find_local_monitor(launch: Launch, timeout_s: float) -> LocalMonitor | None:
    """The connection of a rank that a launcher started; None where the kernel does not tell who did."""
    launcher = processes.launcher_of(os.getpid(), launch.variable) if processes.SEEN and launch.variable else 0
    if not launcher:
        return None
    local = _reach(launcher, launch.variable, (launch.local_size or 0, launch.size), launch.host, timeout_s, rank=launch.rank)
    if local is not None:
        local.tell(f"hello {launch.rank} {os.getpid()} {launch.host}\nrules {timeout_s} {int(log.sink.prefix)}")
    early.joins()
    return local


def monitor_children(variable: str, count: int, host: str, timeout_s: float) -> LocalMonitor | None:
    """For the process that is about to start ``count`` ranks: a monitor that knows them by ``variable``, and is told which were killed."""
    if not processes.SEEN:
        return None
    local = _reach(os.getpid(), variable, (count, count), host, timeout_s, rank=-1)
    if local is not None:
        local.tell(f"hello -1 {os.getpid()} {host}")
    return local


def _reach(launcher: int, variable: str, counts: tuple[int, int], host: str, timeout_s: float, *, rank: int) -> LocalMonitor | None:
    """``counts``: ranks of this host, 0 if nobody told, and of the job. ``rank``: this process's; -1 for the launcher."""
    name, monitor = name_of(launcher), None
    if not name:
        return None
    for attempt in range(ATTEMPTS):
        time.sleep(BETWEEN_S if attempt else 0.0)
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as listener:
            listener.bind(name)  # nobody else can, and the kernel gives it free with the last process that has it
            listener.listen(max(64, *counts))
            monitor = start_monitor(listener, timeout_s, str(launcher), variable, *map(str, counts), host, str(rank))
        connection = socket.socket(socket.AF_UNIX)
        with contextlib.suppress(OSError):
            connection.connect(name)
            if peer_of(connection)[1] == os.geteuid():
                return LocalMonitor(connection, name, monitor)
        connection.close()
    return None


def start_monitor(listener: socket.socket, timeout_s: float, *words: str, token: str = "") -> subprocess.Popen[bytes]:
    """The process, which takes ``listener`` over; ``words``: see `monitor.main`.  OSError if this system gives no process.

    ``token`` goes by the environment, which other users cannot read as they can its words.
    """
    descriptor = listener.fileno()
    return subprocess.Popen(
        command(descriptor, timeout_s, PATIENCE_S, log.sink.prefix, *words),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=(descriptor,),
        start_new_session=True,
        env={**os.environ, TOKEN: token} if token else None,
    )
