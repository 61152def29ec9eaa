"""One-sided transfers by MPI.

A window that stays open to all ranks, puts, and counters that are set when a put is complete.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from caffepy.errors import ParallelError
from caffepy.parallel.transport.communicator import Communicator, count_bytes
from caffepy.parallel.transport.transfer import Transfer

if TYPE_CHECKING:
    from mpi4py import MPI
    from torch import Tensor

SHARED_MEMORY = "/dev/shm"
THREADS = 8


class MpiWindow:
    """A `Window` by passive-target windows of MPI-3: counters first, then values.

    Only MPI_Win_flush tells that a put has arrived, and it returns no sooner. So threads of their
    own call it, where MPI lets them. By then the put itself has left, so they do not wait for long.
    What others put moves on while this rank is inside MPI, as `read_counter` is.
    """

    def __init__(
        self,
        owner: Communicator,
        mpi: ModuleType,
        comm: MPI.Intracomm,
        *,
        n_values: int,
        n_counters: int,
    ) -> None:
        """Collective; sizes may differ.  ParallelError if a host has too little memory to share."""
        self._owner = owner
        self._mpi = mpi
        self._comm = comm
        self._head = 8 * n_counters
        size = self._head + 4 * n_values
        _check_space(owner, size)
        self._win = mpi.Win.Allocate(size, 1, comm=comm)
        memory = self._win.tomemory()
        np.frombuffer(memory, np.uint8)[:] = 0
        self._counters: npt.NDArray[np.int64] = np.frombuffer(memory, np.int64, n_counters)
        self.values = torch.frombuffer(
            memory, dtype=torch.float32, count=n_values, offset=self._head
        )
        self._win.Lock_all(mpi.MODE_NOCHECK)
        comm.Barrier()
        self._threads = (
            ThreadPoolExecutor(THREADS, thread_name_prefix="window") if owner.threaded else None
        )

    def put(self, piece: Tensor, to: int, place: int, counter: int, number: int) -> Transfer:
        """By MPI_Rput, then `set_counter`."""
        self._owner.traffic.count("send", count_bytes(piece))
        values = piece.detach().view(-1).numpy()
        target = [self._head + 4 * place, values.size, self._mpi.FLOAT]
        return _Put(
            self, self._win.Rput([values, self._mpi.FLOAT], to, target), to, counter, number
        )

    def set_counter(self, to: int, counter: int, number: int) -> Transfer:
        """By MPI_Accumulate with MPI_REPLACE, which is atomic, between two MPI_Win_flush."""
        return _Put(self, None, to, counter, number)

    def read_counter(self, counter: int) -> int:
        """This rank's counter, after a call that moves MPI on."""
        self._comm.Iprobe()
        self._win.Sync()
        return int(self._counters[counter])

    def notify(self, to: int, counter: int, number: int) -> Future[None] | None:
        """Set a counter after everything that was put before; None if that is done."""
        if self._threads is not None:
            return self._threads.submit(self._notify, to, counter, number)
        self._notify(to, counter, number)
        return None

    def close(self) -> None:
        """Collective, when nothing is under way; `values` is gone."""
        if self._threads is not None:
            self._threads.shutdown()
        self._win.Unlock_all()
        self._win.Free()

    def _notify(self, to: int, counter: int, number: int) -> None:
        word = np.array([number], np.int64)
        self._win.Flush(to)
        self._win.Accumulate(
            [word, self._mpi.INT64_T], to, [8 * counter, 1, self._mpi.INT64_T], op=self._mpi.REPLACE
        )
        self._win.Flush(to)


class _Put:
    """A put and the counter after it."""

    def __init__(
        self, window: MpiWindow, request: MPI.Request | None, to: int, counter: int, number: int
    ) -> None:
        self._request = request
        self._notify = partial(window.notify, to, counter, number)
        self._notified: Future[None] | None = None if request is not None else self._notify()

    def done(self) -> bool:
        """By MPI_Test; then whether the counter is set."""
        if self._request is not None:
            if not self._request.Test():
                return False
            self._request = None
            self._notified = self._notify()
        if self._notified is None:
            return True
        if not self._notified.done():
            return False
        self._notified.result()
        return True


def _check_space(owner: Communicator, size: int) -> None:
    """ParallelError if shared memory is too small for the windows.

    MPI libraries take windows of ranks of one host from there. Where it is too small, the process
    ends when memory is first used.
    """
    sizes = owner.allgather_object(size)
    needed = sum(sizes[rank] for rank in owner.neighbours)
    free = (
        os.statvfs(SHARED_MEMORY).f_bavail * os.statvfs(SHARED_MEMORY).f_frsize
        if os.path.isdir(SHARED_MEMORY)
        else needed
    )
    if free < needed:
        raise ParallelError(
            f"{SHARED_MEMORY} has {free >> 20} MiB left, "
            f"the windows of this host's ranks take {needed >> 20}; needed: more of it "
            "(docker run --shm-size), or an exchange without windows, such as -exchange tree"
        )
