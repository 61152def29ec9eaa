"""One-sided reads by MPI: a window over memory that is there already, open to all ranks."""

from __future__ import annotations

import threading
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from mpi4py import MPI

    from caffepy.data.stores import Buffer

LOOK_S = 0.001


class MpiReads:
    """Reads memory that other ranks have opened, even while they compute.  Any thread may.

    Where the network does not read memory by itself, the MPI library of the rank that is read has
    to. It does so inside MPI calls, so a thread makes one now and then: else a read would wait for
    the next exchange of gradients.
    """

    def __init__(self, mpi: ModuleType, comm: MPI.Intracomm, memory: memoryview) -> None:
        """Collective.  ``memory``: of this rank; may be empty."""
        self._mpi = mpi
        self._comm = comm.Dup()
        self._win = mpi.Win.Create(memory if len(memory) else None, 1, comm=self._comm)
        self._win.Lock_all(mpi.MODE_NOCHECK)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._move_on, daemon=True)
        self._thread.start()

    def read(
        self, rank: int, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
    ) -> list[Buffer]:
        """MPI_Get of each piece, then one MPI_Win_flush."""
        pieces = [np.empty(int(end - start), np.uint8) for start, end in zip(starts, ends)]
        for piece, start in zip(pieces, starts):
            self._win.Get([piece, self._mpi.BYTE], rank, [int(start), piece.size, self._mpi.BYTE])
        self._win.Flush(rank)
        return [piece.data for piece in pieces]

    def _move_on(self) -> None:
        while not self._stop.wait(LOOK_S):
            self._comm.Iprobe()

    def close(self) -> None:
        """Collective, when nobody reads any more."""
        self._comm.Barrier()
        self._stop.set()
        self._thread.join()
        self._win.Unlock_all()
        self._win.Free()
        self._comm.Free()
