"""Memory that the ranks of one host share, with counters."""

from __future__ import annotations

import mmap
import threading
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from caffepy.data.shared_memory import SharedFile, attach

if TYPE_CHECKING:
    from caffepy.parallel.transport.communicator import Communicator


class HostMemory:
    """A piece of memory for each rank of this host, which all of them can read, and counters.

    ``buffers[i]``: float32, of local rank i.
    ``counters``: (ranks, n_counters) int64; row i is written by local rank i alone.
    """

    def __init__(self, communicator: Communicator, n_values: int, n_counters: int) -> None:
        """Collective, over the ranks of all hosts; zeros everywhere."""
        ranks = communicator.local_size
        head = _pages(8 * ranks * n_counters)
        each = _pages(4 * n_values)
        mapped = map_together(communicator, head + ranks * each)
        counters: npt.NDArray[np.int64] = np.frombuffer(
            mapped, np.int64, ranks * n_counters
        ).reshape(ranks, n_counters)
        self.counters = counters
        self.buffers = [
            torch.frombuffer(mapped, dtype=torch.float32, count=n_values, offset=head + i * each)
            for i in range(ranks)
        ]
        self._order = threading.Lock()

    def set_counter(self, local_rank: int, counter: int, value: int) -> None:
        """Set a counter, after everything that was written to memory before."""
        for _ in range(
            2
        ):  # what stands between two uses of a lock cannot be moved past it, on no processor
            with self._order:
                pass
        self.counters[local_rank, counter] = value


class CountersReached:
    """A transfer that is done when a counter of some local ranks has reached ``value``."""

    def __init__(self, memory: HostMemory, local_ranks: slice, counter: int, value: int) -> None:
        self._cells = memory.counters[local_ranks, counter]
        self._value = value

    def done(self) -> bool:
        return bool((self._cells >= self._value).all())


def everyone() -> slice:
    """The slice of all local ranks."""
    return slice(None)


def one(local_rank: int) -> slice:
    """The slice of one local rank."""
    return slice(local_rank, local_rank + 1)


def _pages(n_bytes: int) -> int:
    """``n_bytes`` rounded up to whole pages, at least one."""
    return max(1, -(-n_bytes // mmap.PAGESIZE)) * mmap.PAGESIZE


def map_together(communicator: Communicator, n_bytes: int) -> mmap.mmap:
    """The same memory in each rank of a host.

    The first of them makes the file, the others open it by way of its process.
    """
    made = SharedFile(n_bytes) if communicator.local_rank == 0 else None
    paths = communicator.allgather_object(made.path if made is not None else "")
    mapped = made.memory if made is not None else attach(paths[communicator.neighbours[0]], n_bytes)
    communicator.barrier()
    if made is not None:
        made.forget()
    return mapped
