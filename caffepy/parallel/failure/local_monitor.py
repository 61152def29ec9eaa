"""How a rank finds the monitor of its host before it meets the other ranks.  Linux.

The first rank starts the monitor, where `early_monitor` has not.
"""

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
from caffepy.parallel.failure.early_monitor import (
    PATIENCE_S,
    early,
    monitor_command,
    socket_name,
)
from caffepy.parallel.failure.monitor import END_S
from caffepy.parallel.failure.monitor_process import TOKEN
from caffepy.parallel.launch.environment import Launch

ATTEMPTS = 3
BETWEEN_S = 0.02


@dataclass
class LocalMonitor:
    """A connection to this host's monitor.

    ``name``: of its socket, the same for all ranks that one launcher has started on one host.
    """

    connection: socket.socket
    name: str
    monitor: subprocess.Popen[bytes] | None = None
    """The monitor's process, where this one started it."""

    def ask(self, line: str, begin: str) -> str:
        """Send a line; the answer that begins with ``begin``, or nothing if none comes.

        If the job is over, the process ends in here.
        """
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
    """The connection of a rank that a launcher started.

    None where the kernel does not tell which process that was.
    """
    if not processes.ON_LINUX or not launch.variable:
        return None
    launcher = processes.launcher_of(os.getpid(), launch.variable)
    if not launcher:
        return None
    counts = (launch.local_size or 0, launch.size)
    local = _connect(launcher, launch.variable, counts, launch.host, timeout_s, rank=launch.rank)
    if local is not None:
        local.tell(f"hello {launch.rank} {os.getpid()} {launch.host}")
        local.tell(f"rules {timeout_s} {int(log.sink.prefix)}")
    early.joined()
    return local


def monitor_children(variable: str, count: int, host: str, timeout_s: float) -> LocalMonitor | None:
    """The connection of a process that is about to start ``count`` ranks.

    The monitor knows the ranks by ``variable``, and this process tells it which were killed.
    """
    if not processes.ON_LINUX:
        return None
    local = _connect(os.getpid(), variable, (count, count), host, timeout_s, rank=-1)
    if local is not None:
        local.tell(f"hello -1 {os.getpid()} {host}")
    return local


def _connect(
    launcher: int,
    variable: str,
    counts: tuple[int, int],
    host: str,
    timeout_s: float,
    *,
    rank: int,
) -> LocalMonitor | None:
    """Connect to the monitor, which is started if there is none.

    ``counts``: ranks of this host, 0 if the launcher does not tell, and of the job. ``rank``: this
    process's, -1 for the launcher.
    """
    name = socket_name(launcher)
    if not name:
        return None
    monitor = None
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(BETWEEN_S)
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as listener:
            # only one process can; the kernel frees the name with the last process that has it
            listener.bind(name)
            listener.listen(max(64, *counts))
            words = [str(launcher), variable, *map(str, counts), host, str(rank)]
            monitor = start_monitor(listener, timeout_s, *words)
        connection = socket.socket(socket.AF_UNIX)
        with contextlib.suppress(OSError):
            connection.connect(name)
            _, user = peer_of(connection)
            if user == os.geteuid():
                return LocalMonitor(connection, name, monitor)
        connection.close()
    return None


def start_monitor(
    listener: socket.socket, timeout_s: float, *words: str, token: str = ""
) -> subprocess.Popen[bytes]:
    """Start the process, which takes ``listener`` over.  ``words``: see `monitor_process.main`.

    ``token`` goes by the environment, which other users cannot read; they can read a command line.
    Errors: OSError if this system gives no process.
    """
    descriptor = listener.fileno()
    return subprocess.Popen(
        monitor_command(descriptor, timeout_s, PATIENCE_S, log.sink.prefix, *words),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=(descriptor,),
        start_new_session=True,
        env={**os.environ, TOKEN: token} if token else None,
    )
