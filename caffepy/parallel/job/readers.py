"""Starts the reader processes of a host and tells its ranks where they listen."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import IO

from caffepy.data.shard import Reader
from caffepy.errors import ParallelError
from caffepy.parallel.transport.communicator import Communicator

PROGRAM = "from caffepy.data.reader_process import main; main()"
KEY_BYTES = 16
END_S = 5.0


class Readers:
    """``count`` reader processes on each host.  ``mine``: those that work for this rank.

    The ranks of a host share them. With fewer readers than ranks, several ranks have the same one.
    """

    def __init__(self, communicator: Communicator, count: int) -> None:
        """Collective.  ParallelError if they do not start."""
        first = communicator.local_rank == 0
        self._processes: list[subprocess.Popen[bytes]] = []
        started = self._start(count) if first else []
        everyone = communicator.allgather_object(started)[communicator.neighbours[0]]
        own = communicator.local_rank
        size = communicator.local_size
        self.mine = tuple(
            everyone[own::size] if count >= size else everyone[own % count : own % count + 1]
        )

    def _start(self, count: int) -> list[Reader]:
        key = secrets.token_bytes(KEY_BYTES)
        path = os.pathsep.join(
            [str(Path(__file__).parents[3]), *filter(None, [os.environ.get("PYTHONPATH")])]
        )
        environ = {**os.environ, "CAFFEPY_READER_KEY": key.hex(), "PYTHONPATH": path}
        command = [sys.executable, "-c", PROGRAM]
        for _ in range(count):
            # its input ends when this process does, however that ends
            self._processes.append(
                subprocess.Popen(
                    command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
            )
        return [Reader(_address(process), key, process.pid) for process in self._processes]

    def close(self) -> None:
        """End them; their sources are closed by then."""
        for process in self._processes:
            _stream(process.stdin).close()
        for process in self._processes:
            process.wait(END_S)
            _stream(process.stdout).close()


def _address(process: subprocess.Popen[bytes]) -> str:
    address = _stream(process.stdout).readline().decode().strip()
    if not address:
        raise ParallelError(
            f"a reader process ended at its start with status {process.wait()}; "
            "needed: all that -readers asks for"
        )
    return address


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
