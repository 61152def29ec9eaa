"""The first act of a rank: a monitor for the ranks of this host, before anything of theirs is loaded that takes time.  Linux.

Launchers end every rank within milliseconds after one was lost. So the process that is to become the monitor looks at once, as a bare copy
of the rank that starts it, which ranks there are, lets the kernel keep the order in which they end, and only then turns into a program.
Nothing is imported here that takes time.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence

from caffepy.parallel.failure import processes
from caffepy.parallel.failure.process_ends import ProcessEnds
from caffepy.parallel.launch.variables import STARTED_BY

TIMEOUT_S = 10.0
"""A rank of which nothing has been heard for longer is lost, if no flag says otherwise."""
PATIENCE_S = 600.0
"""Ranks that all live and all stay where they are for longer are worth a warning."""
PROGRAMS = ("caffe", "caffepy", "caffe_main", "main.py", "__main__.py")
JOBS = ("train", "test", "cluster")
"""Commands that make one job of several ranks."""
TABLE = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"),
    ("MVP_COMM_WORLD_RANK", "MVP_COMM_WORLD_SIZE", "MVP_COMM_WORLD_LOCAL_SIZE"),
    ("PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"),
    ("RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"),
)
"""Launchers' variables for the rank, and how many there are in the job and on this host; `environment` reads more of them, later."""
MOST_DIGITS = 18
"""Of a number there, as in `environment`."""
COMING_S, ANSWER_S = 2.0, 10.0
"""How long a rank that takes leave waits for a monitor that is on its way, and for its answer."""

Place = tuple[str, int, int, int]
"""The variable that holds the rank, the rank, how many there are in the job, and on this host: 0 if nobody told."""


def place_of(environ: Mapping[str, str]) -> Place | None:
    """One of many ranks that a launcher has started, by its variables; None if it is not, or they make no sense: that is told later."""
    for rank, size, local in TABLE:
        if rank in environ:
            words = environ[rank], environ.get(size, ""), environ.get(local, "0")
            if rank == "RANK" and ("MASTER_ADDR" not in environ or STARTED_BY in environ):  # a common word; or we have a monitor already
                return None
            if all(word.isdecimal() and len(word) <= MOST_DIGITS for word in words) and int(words[0]) < int(words[1]) > 1:
                return rank, int(words[0]), int(words[1]), int(words[2])
            return None
    return None


def name_of(launcher: int) -> str:
    """The socket of the monitor for the ranks that this process has started on this host; empty if there is no such process."""
    found = processes.look_up(launcher)
    return f"\0caffepy-{os.geteuid()}-{launcher}-{found.started}" if found is not None else ""


def start_early(words: Sequence[str], environ: Mapping[str, str]) -> None:
    """Start the monitor for the ranks of this host if this is one of a job, by the command's ``words``, and there is none.

    A process that ends without having joined the others, after a mistake that all of them find, takes leave of it.
    """
    place = place_of(environ) if processes.SEEN else None
    if place is None or os.path.basename(words[0]) not in PROGRAMS or not any(word in JOBS for word in words[1:]):
        return
    variable, rank, size, local = place
    launcher = processes.launcher_of(os.getpid(), variable)
    if not launcher:
        return
    try:
        copy = os.fork()
    except OSError:  # no process is left: the work goes on without
        return
    if copy == 0:
        try:
            _become_monitor(launcher, variable, local, size, rank)
        finally:
            os._exit(1)
    early.child, early.name = copy, name_of(launcher)
    atexit.register(early.leave, rank)


class EarlyStart:
    """What `start_early` has begun."""

    name = ""
    """The monitor's, until this rank has joined the others."""
    child = 0

    def joins(self) -> None:
        """From now on the rank speaks for itself; a copy of it that was not the first to become the monitor is let go."""
        self.name = ""
        if self.child:
            try:
                done, _ = os.waitpid(self.child, os.WNOHANG)
            except OSError:
                done = self.child
            self.child = 0 if done else self.child

    def leave(self, rank: int) -> None:
        """The process ends, and has not joined."""
        if not self.name:
            return
        import socket

        until = time.monotonic() + COMING_S
        while time.monotonic() < until:
            try:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.settimeout(ANSWER_S)
                    connection.connect(self.name)
                    connection.sendall(f"aside {rank}\n".encode())
                    connection.recv(1)  # else this process's end might be seen before the line is
                    return
            except ConnectionRefusedError:  # it is still on its way, or will never come
                time.sleep(0.02)
            except OSError:
                return


early = EarlyStart()


def _become_monitor(launcher: int, variable: str, local: int, size: int, rank: int) -> None:
    """In the copy: returns where another was first."""
    import _socket  # what `socket` adds takes ten times as long to load as all of this

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # meant for the ranks
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    for word in os.listdir("/proc/self/fd"):
        if int(word) > 2:  # the launcher's, which waits for their end
            _close(int(word))
    listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        listener.bind(name_of(launcher))
    except OSError:
        return
    listener.listen(max(64, local))
    ends, ranks = look(launcher, variable)
    descriptor, handles = ends.inherit()
    os.set_inheritable(listener.fileno(), True)
    seen = [f"{number}={ranks[number]}={handle}" for handle, number in handles.items()]
    words = [str(launcher), variable, str(local), str(size), os.uname().nodename, str(rank), str(descriptor), *seen]
    os.execv(sys.executable, command(listener.fileno(), TIMEOUT_S, PATIENCE_S, True, *words))


def look(launcher: int, variable: str) -> tuple[ProcessEnds, dict[int, int]]:
    """The ranks that are there now, by their processes, each watched by the other."""
    ends = ProcessEnds()
    ranks = {rank: pid for rank, pid in processes.launched(launcher, variable).items() if ends.watch(rank, pid)}
    for rank in ends.told():  # while we looked: nobody knows in which order
        del ranks[rank]
    return ends, ranks


def command(descriptor: int, timeout_s: float, patience_s: float, prefix: bool, *words: str) -> list[str]:
    """The words of a process that runs `monitor.main`, which see."""
    folder = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
    code = f"import sys; sys.path.insert(0, {folder!r}); from caffepy.parallel.failure.monitor import main; main(sys.argv[1:])"
    return [sys.executable, "-I", "-S", "-c", code, str(descriptor), str(timeout_s), str(patience_s), str(int(prefix)), *words]


def _close(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        return
