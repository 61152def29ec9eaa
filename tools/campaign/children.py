"""A function in a process of its own, forked from this warm one: what it returns, or how it ended."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

LIMIT_S = 120
MEMORY = 4 << 30
"""Bytes of address space beyond what the process has."""


@dataclass(frozen=True)
class Ended:
    """``value``: what came back. Else ``crash``: the signal or the exit code, ``hang``: it took too long, ``error``: the traceback.

    ``step``: what it was at.
    """

    value: Any = None
    crash: str = ""
    hang: bool = False
    error: str = ""
    step: str = ""


def bounded(memory: int = MEMORY) -> None:
    """Let allocations fail that would take the machine's memory."""
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, resource.getrlimit(resource.RLIMIT_AS)[1]))


def in_child(function: Callable[[Callable[[str], object]], Any], *, limit_s: float = LIMIT_S) -> Ended:
    """``function(at)`` in a child; it calls ``at`` with what it does next."""
    with tempfile.TemporaryFile() as back, tempfile.TemporaryFile() as steps:
        pid = os.fork()
        if pid == 0:
            _child(function, back.fileno(), steps.fileno())
        status = waited(pid, limit_s)
        step = os.pread(steps.fileno(), 1000, 0).decode().rstrip("\0 ")
        if status is None:
            return Ended(hang=True, step=step)
        if os.WIFSIGNALED(status):
            return Ended(crash=signal.Signals(os.WTERMSIG(status)).name, step=step)
        if os.WEXITSTATUS(status):
            return Ended(crash=f"exit code {os.WEXITSTATUS(status)}", step=step)
        back.seek(0)
        good, value = pickle.load(back)
        return Ended(value=value, step=step) if good else Ended(error=value, step=step)


def _child(function: Callable[[Callable[[str], object]], Any], back: int, steps: int) -> None:
    """Run, write, leave without this process's cleaning up."""
    try:
        unprepared()
        bounded()
        try:
            result = (True, function(lambda step: os.pwrite(steps, step.encode().ljust(1000), 0)))
        except Exception:  # noqa: BLE001  any is a find
            result = (False, traceback.format_exc())
        data = pickle.dumps(result)
        while data:
            data = data[os.write(back, data) :]
        sys.stdout.flush()
        os._exit(0)
    finally:
        os._exit(99)


def unprepared() -> None:
    """In a child: signals end it, whatever its parent does about them."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def waited(pid: int, limit_s: float, progress: Callable[[], object] = lambda: None) -> int | None:
    """The child's status; None where it had to be ended, ``limit_s`` after ``progress`` last was another."""
    last, since, pause = progress(), time.monotonic(), 0.0005
    try:
        while time.monotonic() < since + limit_s:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return status
            now = progress()
            if now != last:
                last, since = now, time.monotonic()
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
    except KeyboardInterrupt:
        end(pid)
        raise
    end(pid)
    return None


def end(pid: int) -> None:
    """Whatever the child does."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
