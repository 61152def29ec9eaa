"""The process of a `Monitor`: what `early_monitor` and `local_monitor` start."""

from __future__ import annotations

import os
import signal
import socket
import sys

from caffepy import log
from caffepy.parallel.failure.early_monitor import find_ranks
from caffepy.parallel.failure.host_ranks import HostRanks
from caffepy.parallel.failure.monitor import Monitor
from caffepy.parallel.failure.process_ends import ProcessEnds

TOKEN = "CAFFEPY_MONITOR_TOKEN"
"""The variable of the environment that holds the job's token."""


def main(arguments: list[str]) -> None:
    """Watch the ranks until all have left.

    ``arguments``: descriptor of the listening socket, time-out, patience, prefix of log lines. Then
    nothing, where the environment has the job's token. Else the launcher, the variable of the
    ranks, the ranks of this host and of the job, the host, and the rank that starts the monitor,
    which is -1 where the launcher does. `early_monitor` adds what it watches already: the
    descriptor of its `ProcessEnds`, and ``RANK=PROCESS=HANDLE`` for each rank.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # they are meant for the ranks, with which this ends
    descriptor, timeout_s, patience_s, prefix, *rest = arguments
    log.configure(prefix=prefix == "1")
    listener = socket.socket(fileno=int(descriptor))
    if not rest:
        monitor = Monitor(float(timeout_s), float(patience_s))
        monitor.listen(listener, os.environ[TOKEN])
    else:
        host_ranks = _host_ranks(*rest)
        monitor = Monitor(float(timeout_s), float(patience_s), host_ranks=host_ranks)
        monitor.listen_locally(listener)
    monitor.run()


def _host_ranks(
    launcher: str, name: str, count: str, size: str, host: str, starter: str, *watched: str
) -> HostRanks:
    ends, ranks = _watched(*watched) if watched else find_ranks(int(launcher), name)
    return HostRanks(
        launcher=int(launcher),
        name=name,
        count=int(count),
        size=int(size),
        host=host,
        launcher_tells=starter == "-1",
        starter=int(starter),
        ends=ends,
        ranks=ranks,
    )


def _watched(descriptor: str, *words: str) -> tuple[ProcessEnds, dict[int, int]]:
    ranks: dict[int, int] = {}
    handles: dict[int, int] = {}
    for word in words:
        rank, pid, handle = map(int, word.split("="))
        ranks[rank] = pid
        handles[handle] = rank
    return ProcessEnds(int(descriptor), handles), ranks


if __name__ == "__main__":
    main(sys.argv[1:])
