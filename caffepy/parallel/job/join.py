"""Many ranks, one job: they start together, and an error of one ends them all.

It is said once.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import time
import traceback
from collections.abc import Iterator, Mapping
from typing import NoReturn

from caffepy import log
from caffepy.errors import FOLDER_GONE, CaffeError, folder_gone, one_line
from caffepy.parallel.failure.early_monitor import TIMEOUT_S
from caffepy.parallel.failure.local_monitor import LocalMonitor, find_local_monitor
from caffepy.parallel.failure.monitor_client import MonitorClient, connect_to_monitor
from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.transport.communicator import Communicator
from caffepy.parallel.transport.connect import connect
from caffepy.parallel.transport.single import Single

GRACE_S = 2.0
"""Ranks that cannot connect leave rank 0 this long to say why.

Mostly the reason is the same for all.
"""


@contextlib.contextmanager
def join_job(
    launch: Launch, environ: Mapping[str, str], *, timeout_s: float = TIMEOUT_S
) -> Iterator[Communicator]:
    """Connect the ranks of ``launch`` and make one job of them.

        with join_job(launch, os.environ) as communicator: ...

    A process alone gets the single communicator, and its errors pass through as they are. With
    several ranks, an exception of any kind on any rank is said once, as ``rank R on HOST: ...``,
    and ends all of them with status 1. So does a rank that is killed, or that stands still for
    ``timeout_s`` while others go on.

    Enter it before anything that may fail on one rank only: a rank that exits before it is
    connected leaves the others waiting in MPI's initialisation.
    """
    if launch.is_alone:
        yield Single(launch)
        return
    local = find_local_monitor(launch, timeout_s)
    goodbye = Goodbye(local)
    # What is registered first is called last: MPI is finalised before it.
    atexit.register(goodbye.say)
    try:
        communicator = connect(launch, environ)
    except Exception as error:  # noqa: BLE001 - whatever it is, the other ranks must not wait
        _fail_unconnected(launch, local, error)
    client = None
    try:
        client = connect_to_monitor(communicator, timeout_s, local)
        yield communicator
        communicator.barrier()
    except BaseException as error:  # noqa: BLE001 - the same
        _fail(communicator, client, error)
    communicator.close()
    goodbye.prepare(client)


class Goodbye:
    """What a rank whose work is done says when its process ends; until then it is watched."""

    def __init__(self, local: LocalMonitor | None) -> None:
        self._local = local
        self._done = False
        self._client: MonitorClient | None = None

    def prepare(self, client: MonitorClient | None) -> None:
        """The work is done."""
        self._client = client
        self._done = True

    def say(self) -> None:
        """To the monitors, if the work is done."""
        if self._done and self._client is not None:
            self._client.bye()
        if self._done and self._local is not None:
            self._local.tell("bye")


def _fail(
    communicator: Communicator, client: MonitorClient | None, error: BaseException
) -> NoReturn:
    """Say why, if no other rank was first, and end the job."""
    if client is not None:
        client.wait_to_speak()
    _say(communicator.rank, communicator.host, error)
    if client is not None:
        client.said()
    if client is None or not client.reaches_all:
        communicator.abort(1)
    os._exit(1)


def _fail_unconnected(launch: Launch, local: LocalMonitor | None, error: Exception) -> NoReturn:
    """Say why, and end in a way that every launcher takes for the end of the job.

    When a rank exits before MPI is initialised, Hydra lets the others wait for ever, whatever the
    exit status; but not when a signal ends the rank.
    """
    if launch.rank > 0:
        time.sleep(GRACE_S)
    if local is not None:
        local.ask("may", "yes")  # if another failed first, the process ends in here
    _say(launch.rank, launch.host, error)
    if local is not None:
        local.tell("said")
    if launch.launcher == "mpich":
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)
    os._exit(1)


def _say(rank: int, host: str, error: BaseException) -> None:
    """One F line, and the traceback under it with ``-v=1``."""
    log.fatal("join.py", f"rank {rank} on {host}: {describe(error)}")
    if log.sink.verbosity >= 1:
        traceback.print_exception(error)


def describe(error: BaseException) -> str:
    """The error in one line: a user's mistake in its own words, others with their class."""
    text = one_line(error, between="; ")
    if isinstance(error, CaffeError):
        return text
    if folder_gone(error):
        return FOLDER_GONE
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, SystemExit):
        return f"left the job with status {error.code if error.code is not None else 0}"
    return f"{type(error).__name__}: {text}"
