"""Run a Python program in a fork of a warm process: ``python -S -E rank.py SOCKET ARGV...`` stands for ``python ARGV...``.

It imports next to nothing.  It passes the program's streams, environment and folder on, sends it the signals that it gets itself,
and ends as the program ends, by the same code or signal.  See `tests.warm.server`.
"""

import json
import os
import signal
import socket
import sys

PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


def main(path: str, argv: list[str]) -> None:
    """Have the server run it, and wait."""
    fds = [0, 1, 2]
    if "PMI_FD" in os.environ:  # MPICH's launcher talks to its ranks through a file that they inherit
        fds.append(int(os.environ["PMI_FD"]))
    server = socket.socket(socket.AF_UNIX)
    server.connect(path)
    request = {"argv": argv, "environ": dict(os.environ), "cwd": os.getcwd(), "fds": fds}
    early = []
    for number in PASSED_ON:
        signal.signal(number, lambda number, frame: early.append(number))
    socket.send_fds(server, [json.dumps(request).encode() + b"\n"], fds)
    words = server.makefile("r")
    pid = int(words.readline().split()[1])
    for number in PASSED_ON:
        signal.signal(number, lambda number, frame: os.kill(pid, number))
    for number in early:
        os.kill(pid, number)
    for stream in fds:
        os.close(stream)  # the program has them; who reads its output must see where it ends
    kind, _, number = words.readline().strip().partition(" ")
    if kind == "signal":
        signal.signal(int(number), signal.SIG_DFL) if int(number) != signal.SIGKILL else None
        os.kill(os.getpid(), int(number))
    os._exit(int(number) if kind == "exit" else 1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
