"""The communicator over MPI, and how CPU tensors travel by it."""

from __future__ import annotations

import dataclasses
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from caffepy.errors import ParallelError, one_line
from caffepy.parallel.transport.communicator import Communicator, Reads, group_ranks
from caffepy.parallel.transport.device import DevicePlane
from caffepy.parallel.transport.mpi.library import LIBRARIES, select_library
from caffepy.parallel.transport.mpi.reads import MpiReads
from caffepy.parallel.transport.mpi.window import MpiWindow
from caffepy.parallel.transport.transfer import Transfer, sleep_until

if TYPE_CHECKING:
    import torch
    from mpi4py import MPI
    from torch import Tensor

    from caffepy.parallel.launch.environment import Launch

CHUNK_ELEMENTS = 1 << 30
"""Elements per MPI call: counts are 32-bit signed numbers in MPI libraries older than MPI 4."""


class _Request:
    """A nonblocking MPI call, or several that carry the pieces of one tensor."""

    def __init__(self, mpi: ModuleType, requests: list[MPI.Request]) -> None:
        self._mpi = mpi
        self._requests = requests

    def done(self) -> bool:
        """By MPI_Testall."""
        return bool(self._mpi.Request.Testall(self._requests))


class Mpi(Communicator):
    """Ranks joined by MPI.  Collective calls come from the thread that connected.

    Ranks sleep until all have come to a call: see `sleep_until`.
    """

    def __init__(self, launch: Launch, mpi: ModuleType, *, groups: Sequence[Sequence[int]]) -> None:
        """``mpi``: the module ``mpi4py.MPI``."""
        threaded = mpi.Query_thread() == mpi.THREAD_MULTIPLE
        super().__init__(
            launch, groups=groups, description=f"MPI ({_library_name(mpi)})", threaded=threaded
        )
        self._mpi = mpi
        self._comm = mpi.COMM_WORLD
        self._messages = self._comm.Dup()
        self._windows: list[MpiWindow | MpiReads] = []

    def window(self, n_values: int, n_counters: int) -> MpiWindow:
        """A window of MPI-3 that is written to."""
        window = MpiWindow(self, self._mpi, self._comm, n_values=n_values, n_counters=n_counters)
        self._windows.append(window)
        return window

    def lay_open(self, memory: memoryview) -> Reads:
        """A window of MPI-3 that is read."""
        if not self.threaded:
            return super().lay_open(memory)
        reads = MpiReads(self._mpi, self._comm, memory)
        self._windows.append(reads)
        return reads

    def maximum(self, value: int) -> int:
        return self.maximum_later(value)()

    def maximum_later(self, value: int) -> Callable[[], int]:
        """MPI_Iallreduce of one number."""
        number = np.array([value], dtype=np.int64)
        self.traffic.count("maximum", number.nbytes)
        request = self._comm.Iallreduce(self._mpi.IN_PLACE, number, op=self._mpi.MAX)

        def wait() -> int:
            self._finish(request)
            return int(number[0])

        return wait

    def barrier(self) -> None:
        """MPI_Ibarrier."""
        self._finish(self._comm.Ibarrier())

    def abort(self, status: int = 1) -> None:
        """MPI_Abort: the launcher ends every rank."""
        self._comm.Abort(status)

    def close(self) -> None:
        """Free the windows and finalise MPI.

        Not left to the end of the process: a rank that is lost while the others wait in there is
        still watched for.
        """
        super().close()
        while self._windows:
            self._windows.pop().close()
        self._mpi.Finalize()

    def nccl_plane(self, device: torch.device) -> DevicePlane:
        """NCCL through torch.distributed, whose store is made known over MPI."""
        from caffepy.parallel.transport.nccl import nccl_over

        return nccl_over(self, device)

    def _finish(self, request: MPI.Request) -> None:
        sleep_until(_Request(self._mpi, [request]))

    def _bcast_cpu(self, flat: Tensor, root: int) -> None:
        self.barrier()
        for chunk in _chunks(flat):
            self._comm.Bcast(chunk, root=root)

    def _allreduce_cpu(self, flat: Tensor) -> None:
        self.barrier()
        for chunk in _chunks(flat):
            self._comm.Allreduce(self._mpi.IN_PLACE, chunk, op=self._mpi.SUM)

    def _send(self, flat: Tensor, to: int, tag: int) -> Transfer:
        return _Request(
            self._mpi, [self._messages.Isend(chunk, dest=to, tag=tag) for chunk in _chunks(flat)]
        )

    def _receive(self, flat: Tensor, source: int, tag: int) -> Transfer:
        return _Request(
            self._mpi,
            [self._messages.Irecv(chunk, source=source, tag=tag) for chunk in _chunks(flat)],
        )

    def _bcast_bytes(self, data: bytes, root: int) -> bytes:
        self.barrier()
        return bytes(self._comm.bcast(data, root=root))

    def _gather_bytes(self, data: bytes) -> list[bytes] | None:
        self.barrier()
        parts: list[bytes] | None = self._comm.gather(data, root=0)
        return parts

    def _allgather_bytes(self, data: bytes) -> list[bytes]:
        self.barrier()
        return list(self._comm.allgather(data))


def connect_mpi(launch: Launch, environ: Mapping[str, str]) -> Mpi:
    """The communicator of a job that an MPI launcher started.  The only place that loads MPI.

    Errors: ParallelError without mpi4py or an MPI library, and when MPI sees another number of
    ranks than the launcher has started.
    """
    library = select_library(launch.launcher, environ)
    if library is not None:
        os.environ["MPI4PY_LIBMPI"] = library
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", "suspicious MPI execution environment"
            )  # the check below says it better
            from mpi4py import MPI
    except ModuleNotFoundError as error:
        raise ParallelError(
            f"{launch.launcher} started {launch.size} ranks, "
            f"but {error.name} is not installed in {sys.executable}; "
            f"do: {sys.executable} -m pip install mpi4py"
        ) from error
    except (ImportError, RuntimeError) as error:
        needed = LIBRARIES.get(launch.launcher, "an MPI library")
        raise ParallelError(
            f"{launch.launcher} started {launch.size} ranks, but mpi4py cannot load {needed}: "
            f"{one_line(error, between='; ')}; needed: the library of the MPI whose launcher "
            "this is (set MPI4PY_LIBMPI to its path), or another launcher"
        ) from error
    size, rank = MPI.COMM_WORLD.Get_size(), MPI.COMM_WORLD.Get_rank()
    if size != launch.size:
        raise ParallelError(
            f"{launch.launcher} started {launch.size} ranks, but MPI sees {size}: "
            "the launcher belongs to another MPI than the library that mpi4py loaded "
            f"({_library_name(MPI)}); needed: both of one MPI. Use that library's own mpirun, "
            "or set MPI4PY_LIBMPI to the library of the launcher (with srun: choose its --mpi)"
        )
    launch = dataclasses.replace(launch, rank=rank)
    neighbours = MPI.COMM_WORLD.Split_type(MPI.COMM_TYPE_SHARED, key=rank)
    first = neighbours.bcast(rank)
    neighbours.Free()
    return Mpi(launch, MPI, groups=group_ranks(MPI.COMM_WORLD.allgather(first)))


def _chunks(flat: Tensor) -> Iterator[npt.NDArray[np.generic]]:
    """Arrays that share the tensor's memory, each small enough for one MPI call."""
    values = flat.numpy()
    for start in range(0, values.size, CHUNK_ELEMENTS):
        yield values[start : start + CHUNK_ELEMENTS]


def _library_name(mpi: ModuleType) -> str:
    """The first words of what the library says of itself: ``MPICH 5.0.2``, ``Open MPI v5.0.11``."""
    words = (
        str(mpi.Get_library_version())
        .split("\n")[0]
        .split(",")[0]
        .replace("Version:", "")
        .strip("\0 ")
    )
    return " ".join(words.split())
