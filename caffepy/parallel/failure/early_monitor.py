"""The first act of a rank: start a monitor for the ranks of this host.  Linux.

It comes before anything is imported that takes time, because a launcher ends every rank within
milliseconds after one was lost. So the new process first looks which ranks there are, while it is
still a bare copy (fork) of the rank that starts it. From then on the kernel keeps the order in
which they end. Only then the copy turns into the monitor's program (exec).
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
from caffepy.parallel.launch.variables import (
    LAUNCHERS,
    MOST_DIGITS,
    STARTED_BY,
    TORCHRUN,
    by_torchrun,
)

TIMEOUT_S = 10.0
"""A rank that was not heard for longer is lost, if no flag says otherwise."""
PATIENCE_S = 600.0
"""When all ranks live and none has advanced for longer, that is worth a warning."""
PROGRAMS = ("caffe", "caffepy", "caffe_main", "main.py", "__main__.py")
JOBS = ("train", "test", "cluster")
"""Commands that make one job of several ranks."""
CONNECT_S = 2.0
"""How long a rank that ends early waits for a monitor that has not begun to listen."""
ANSWER_S = 10.0
"""How long it waits for the monitor's answer."""

RankVariables = tuple[str, int, int, int]
"""Name of the variable that holds the rank, the rank, the number of ranks of the job, and of this
host, which is 0 where the launcher does not tell."""


def rank_from(environ: Mapping[str, str]) -> RankVariables | None:
    """What the launcher's variables say.

    None for a process alone, and for variables that make no sense: `environment.detect` tells of
    those later.
    """
    for launcher, rank_name, size_name, _, local_size_name in LAUNCHERS:
        if rank_name not in environ:
            continue
        if launcher == TORCHRUN and (not by_torchrun(environ) or STARTED_BY in environ):
            return None  # somebody else's RANK; or -ranks started us, and a monitor with us
        words = (environ[rank_name], environ.get(size_name, ""), environ.get(local_size_name, "0"))
        if not all(word.isdecimal() and len(word) <= MOST_DIGITS for word in words):
            return None
        rank, size, local_size = map(int, words)
        return (rank_name, rank, size, local_size) if rank < size > 1 else None
    return None


def socket_name(launcher: int) -> str:
    """The socket of the monitor for the ranks that process ``launcher`` started on this host.

    Empty if there is no such process.
    """
    process = processes.look_up(launcher)
    if process is None:
        return ""
    return f"\0caffepy-{os.geteuid()}-{launcher}-{process.started}"


def start_early(words: Sequence[str], environ: Mapping[str, str]) -> None:
    """Start the monitor if ``words``, the command, makes this process one rank of a job.

    Of the copies that the ranks of a host make, the first becomes the monitor. A rank that ends
    before it has joined the others, after a mistake that all ranks find, tells the monitor so.
    """
    variables = rank_from(environ) if processes.ON_LINUX else None
    is_program = os.path.basename(words[0]) in PROGRAMS
    if variables is None or not is_program or not any(word in JOBS for word in words[1:]):
        return
    name, rank, size, local_size = variables
    launcher = processes.launcher_of(os.getpid(), name)
    if not launcher:
        return
    try:
        child = os.fork()
    except OSError:  # the system gives no process: the work goes on without a monitor
        return
    if child == 0:
        try:
            _become_monitor(launcher, name, local_size, size, rank)
        finally:
            os._exit(1)
    early.child = child
    early.name = socket_name(launcher)
    atexit.register(early.end_before_joining, rank)


class EarlyStart:
    """What `start_early` has begun."""

    name = ""
    """The monitor's socket, until this rank has joined the others."""
    child = 0
    """The process that this one has started."""

    def joined(self) -> None:
        """From now on the rank has its own connection to the monitor.

        Collects the child if it has ended, as it does where another rank's was the first.
        """
        self.name = ""
        if self.child:
            try:
                ended, _ = os.waitpid(self.child, os.WNOHANG)
            except OSError:
                ended = self.child
            if ended:
                self.child = 0

    def end_before_joining(self, rank: int) -> None:
        """Called when the process ends: say so to the monitor, if the rank has not joined."""
        if not self.name:
            return
        import socket

        deadline = time.monotonic() + CONNECT_S
        while time.monotonic() < deadline:
            try:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.settimeout(ANSWER_S)
                    connection.connect(self.name)
                    connection.sendall(f"ending {rank}\n".encode())
                    connection.recv(1)  # else the end could be seen before the line is read
                    return
            except ConnectionRefusedError:  # it does not listen yet, or never will
                time.sleep(0.02)
            except OSError:
                return


early = EarlyStart()


def _become_monitor(launcher: int, name: str, local_size: int, size: int, rank: int) -> None:
    """In the copy.  Returns where another rank's copy was first."""
    import _socket  # `socket` adds what takes ten times as long to load as all of this

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # they are meant for the ranks
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    for word in os.listdir("/proc/self/fd"):
        if int(word) > 2:  # the launcher may wait until its ends of pipes are closed
            _close(int(word))
    listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        listener.bind(socket_name(launcher))
    except OSError:
        return
    listener.listen(max(64, local_size))
    ends, ranks = find_ranks(launcher, name)
    epoll, handles = ends.inherit()
    os.set_inheritable(listener.fileno(), True)
    host_words = (launcher, name, local_size, size, os.uname().nodename, rank, epoll)
    watched = [f"{number}={ranks[number]}={handle}" for handle, number in handles.items()]
    words = [*map(str, host_words), *watched]
    program = monitor_command(listener.fileno(), TIMEOUT_S, PATIENCE_S, True, *words)
    os.execv(sys.executable, program)


def find_ranks(launcher: int, name: str) -> tuple[ProcessEnds, dict[int, int]]:
    """The ranks that live now, process by rank, and what tells of their ends."""
    ends = ProcessEnds()
    ranks: dict[int, int] = {}
    for rank, pid in processes.launched(launcher, name).items():
        if ends.watch(rank, pid):
            ranks[rank] = pid
    for rank in ends.ended():  # they ended during the search: nobody knows in which order
        del ranks[rank]
    return ends, ranks


def monitor_command(
    descriptor: int, timeout_s: float, patience_s: float, prefix: bool, *words: str
) -> list[str]:
    """The command line of a process that runs `monitor_process.main`; see there for its words."""
    folder = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
    code = (
        f"import sys; sys.path.insert(0, {folder!r}); "
        "from caffepy.parallel.failure.monitor_process import main; main(sys.argv[1:])"
    )
    options = [str(descriptor), str(timeout_s), str(patience_s), str(int(prefix))]
    return [sys.executable, "-I", "-S", "-c", code, *options, *words]


def _close(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        return
