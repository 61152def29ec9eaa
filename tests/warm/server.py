"""A process that has imported torch and the slow parts of caffepy, and forks programs off: ``python -m tests.warm.server SOCKET``.

A rank that is started by `tests.warm.rank` runs in such a fork, with the caller's words, environment, folder and streams, as if
Python had been started anew, but without the second and a half that importing torch takes.  The forks of one server share Python's
seed of hashes; ranks that a test starts with an environment of its own are started the slow way, and have seeds of their own.

The server ends when its standard input does, and takes the folder of its socket with it.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import runpy
import selectors
import shutil
import signal
import socket
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from caffepy.openmp_wait import wait_briefly

SLOW = (
    "cv2", "h5py", "hypothesis", "lmdb", "mpi4py", "numpy", "torch", "caffepy.cli.options", "caffepy.cli.train",
    "caffepy.parallel.transport.connect", "caffepy.pycaffe.net", "caffepy.solver.solver",
)  # fmt: skip
"""Imported before the first fork; what is not installed is left out."""
LONGEST = 1 << 20
"""Bytes of a request: the environment, mostly."""


@dataclass
class Program:
    """A program that runs in a fork: its process, and the connection of who asked for it."""

    pid: int
    connection: socket.socket


def main(path: str) -> dict[str, Any] | None:
    """Serve until standard input ends.  Returns in the forks only, with what they have to run."""
    wait_briefly(os.environ)
    for name in SLOW:
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(name)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    woken, wakes = socket.socketpair()
    wakes.setblocking(False)
    signal.set_wakeup_fd(wakes.fileno())
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    programs: list[Program] = []
    with selectors.DefaultSelector() as selector:
        for source in (listener, woken, sys.stdin):
            selector.register(source, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is sys.stdin:
                    end(programs)
                    shutil.rmtree(Path(path).parent, ignore_errors=True)
                    return None
                if key.fileobj is woken:
                    woken.recv(4096)
                    tell_ends(programs, selector)
                elif key.fileobj is listener:
                    connection, _ = listener.accept()
                    request, streams = receive(connection)
                    if not request:
                        connection.close()
                        continue
                    pid = os.fork()
                    if pid == 0:
                        signal.set_wakeup_fd(-1)
                        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                        for own in (listener, woken, wakes, connection, *(program.connection for program in programs)):
                            own.close()
                        become(request, streams)
                        return request
                    for stream in streams:
                        os.close(stream)
                    with contextlib.suppress(OSError):  # a launcher may have killed who asked
                        connection.sendall(f"pid {pid}\n".encode())
                    programs.append(Program(pid, connection))
                    selector.register(connection, selectors.EVENT_READ)
                else:  # whoever asked has gone
                    end([program for program in programs if program.connection is key.fileobj])
                    with contextlib.suppress(KeyError, ValueError):  # its program has ended at the same time, and was told
                        selector.unregister(key.fileobj)


def receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """A request, and the files that came with it; no words if who asked has gone."""
    text, streams = b"", []
    with contextlib.suppress(ConnectionError):
        text, streams, _, _ = socket.recv_fds(connection, LONGEST, 16)
        while not text.endswith(b"\n"):
            more = connection.recv(LONGEST)
            if not more:
                break
            text += more
    if text.endswith(b"\n"):
        return json.loads(text), list(streams)
    for stream in streams:
        os.close(stream)
    return {}, []


def tell_ends(programs: list[Program], selector: selectors.BaseSelector) -> None:
    """Tell who waits for a program that it has ended, and how."""
    for program in list(programs):
        pid, status = os.waitpid(program.pid, os.WNOHANG)
        if pid == 0:
            continue
        word = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
        with contextlib.suppress(OSError):
            program.connection.sendall(word.encode() + b"\n")
        with contextlib.suppress(KeyError):
            selector.unregister(program.connection)
        program.connection.close()
        programs.remove(program)


def end(programs: list[Program]) -> None:
    """End these programs."""
    for program in programs:
        with contextlib.suppress(ProcessLookupError):
            os.kill(program.pid, signal.SIGKILL)


def become(request: dict[str, Any], streams: list[int]) -> None:
    """Take on the streams, environment and folder of the caller.  ``request["fds"]``: the numbers that ``streams`` have there."""
    wanted = [int(number) for number in request["fds"]]
    spare = max([*wanted, *streams]) + 1
    moved = [os.dup2(stream, spare + i) for i, stream in enumerate(streams)]
    for number, stream in zip(wanted, moved):
        os.dup2(stream, number, inheritable=True)
    for stream in {*moved, *streams} - set(wanted):
        os.close(stream)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - the program's own
    sys.stdout, sys.stderr = writer(1, "strict"), writer(2, "backslashreplace")
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    os.environ.clear()
    os.environ.update(request["environ"])
    wait_briefly(os.environ)
    os.chdir(request["cwd"])
    folders = [folder for folder in request["environ"].get("PYTHONPATH", "").split(os.pathsep) if folder]
    sys.path[:] = ["", *folders, *(folder for folder in sys.path if folder not in folders)]


def writer(number: int, errors: str) -> TextIO:
    """A standard stream as Python makes it: standard error by lines, standard output by blocks unless it is a terminal."""
    return open(number, "w", 1 if number == 2 or os.isatty(number) else -1, errors=errors, closefd=False)


def run(argv: list[str]) -> None:
    """What ``python ARGV...`` does, for ``-c TEXT``, ``-m MODULE`` and a file."""
    sys.orig_argv = [sys.executable, *argv]
    if argv[0] == "-c":
        sys.argv = ["-c", *argv[2:]]
        sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(argv[1], "<string>", "exec"), vars(sys.modules["__main__"]))
    elif argv[0] == "-m":
        sys.modules.pop(argv[1], None)
        sys.argv = argv[1:]
        runpy.run_module(argv[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = argv
        sys.path[0] = str(Path(argv[0]).parent)
        runpy.run_path(argv[0], run_name="__main__")


if __name__ == "__main__":
    asked = main(sys.argv[1])
    if asked is not None:
        run(asked["argv"])
