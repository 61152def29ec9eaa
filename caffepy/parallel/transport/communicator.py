"""What every rank can do with the others: one base class; `single`, `mpi` and `torch_group` bring the transport."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from caffepy.errors import ParallelError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import torch
    from torch import Tensor

    from caffepy.data.stores import Buffer
    from caffepy.parallel.launch.environment import Launch
    from caffepy.parallel.transport.device import Awaited, DevicePlane
    from caffepy.parallel.transport.transfer import Transfer
    from caffepy.parallel.transport.window import Window

T = TypeVar("T")
START = "the start"
"""Where a rank is before its first iteration."""


@dataclass
class Traffic:
    """What this rank handed to the communicator, by kind of call (``allreduce``, ``bcast``, ``object`` ...).

    ``sent_bytes`` counts payload, once per call: how often it crosses a wire is the affair of the algorithm below.
    """

    calls: Counter[str] = field(default_factory=Counter)
    sent_bytes: Counter[str] = field(default_factory=Counter)

    def count(self, kind: str, n_bytes: int) -> None:
        """One call of ``kind`` with ``n_bytes`` of payload from this rank."""
        self.calls[kind] += 1
        self.sent_bytes[kind] += n_bytes


class Reads(Protocol):
    """Memory that every rank has laid open to the others."""

    def read(
        self, rank: int, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
    ) -> list[Buffer]:
        """Copies of pieces of what ``rank`` has laid open, without its taking part; any thread may ask."""


class Communicator(ABC):
    """The ranks of one job.  Every method but `abort` is collective: all ranks call it, in the same order.

    ``groups``: the ranks by host, hosts in the order of their first ranks. ``local_rank``, ``local_size``: place among those of this host.
    ``description``: one line for the log. ``threaded``: `send` and `receive` may be called by another thread than the rest.
    ``place``: where this rank is, in words by ``str`` (``iteration 120, ...``); the solver keeps it up to date, and messages about a dead
    rank quote it.
    Tensors are contiguous and of the same shape and dtype on all ranks; those of a GPU need `use_device` first.
    """

    def __init__(
        self,
        launch: Launch,
        *,
        groups: Sequence[Sequence[int]],
        description: str,
        threaded: bool = True,
    ) -> None:
        self.rank, self.size, self.host, self.launcher = (
            launch.rank,
            launch.size,
            launch.host,
            launch.launcher,
        )
        self.groups = tuple(tuple(group) for group in groups)
        self.local_rank, self.local_size = self.neighbours.index(launch.rank), len(self.neighbours)
        self.description = description
        self.threaded = threaded
        self.place: object = START
        self.traffic = Traffic()
        self._plane: DevicePlane | None = None

    @property
    def is_root(self) -> bool:
        """This rank logs and writes snapshots."""
        return self.rank == 0

    @property
    def neighbours(self) -> tuple[int, ...]:
        """The ranks of this host, itself among them."""
        return next(group for group in self.groups if self.rank in group)

    def bcast_(self, tensor: Tensor, *, root: int = 0) -> None:
        """Overwrite ``tensor`` on every rank with that of ``root``."""
        self.traffic.count("bcast", count_bytes(tensor) if self.rank == root else 0)
        if tensor.is_cuda:
            self._device_plane().bcast_(tensor, root)
        else:
            self._bcast_cpu(tensor.detach().view(-1), root)

    def allreduce_(self, tensor: Tensor) -> None:
        """Overwrite ``tensor`` on every rank with the sum over the ranks, the same bits everywhere."""
        self.traffic.count("allreduce", count_bytes(tensor))
        if tensor.is_cuda:
            self._device_plane().allreduce_(tensor)
        else:
            self._allreduce_cpu(tensor.detach().view(-1))

    @property
    def overlaps(self) -> bool:
        """There is `allreduce_later`."""
        return self._plane is not None and self._plane.overlaps

    def allreduce_later(self, tensor: Tensor) -> Awaited:
        """Begin to overwrite a GPU's ``tensor`` with the sum over the ranks, beside what is asked of the GPU next; where it `overlaps`."""
        self.traffic.count("allreduce", count_bytes(tensor))
        return self._device_plane().allreduce_later(tensor)

    def send(self, tensor: Tensor, to: int, tag: int) -> Transfer:
        """Begin to send a tensor of the CPU; it must not change before the transfer is done.  Not collective."""
        self.traffic.count("send", count_bytes(tensor))
        return self._send(tensor.detach().view(-1), to, tag)

    def receive(self, tensor: Tensor, source: int, tag: int) -> Transfer:
        """Begin to overwrite a tensor of the CPU with what ``source`` sends under ``tag``.  Not collective."""
        return self._receive(tensor.detach().view(-1), source, tag)

    def window(self, n_values: int, n_counters: int) -> Window:
        """Zeros that the other ranks can write into; sizes may differ.  ParallelError where the transport has no one-sided transfers."""
        raise ParallelError(
            f"{self.description}: it has no one-sided transfers; needed: an MPI launcher, or -exchange tree"
        )

    def lay_open(self, memory: memoryview) -> Reads:
        """Let the other ranks read ``memory`` from now on.  ParallelError where the transport has no one-sided transfers."""
        raise ParallelError(
            f"{self.description}: it has no one-sided reads; needed: an MPI launcher with threads, or no -in_memory"
        )

    @abstractmethod
    def maximum(self, value: int) -> int:
        """The largest ``value`` of any rank: a signal that one rank received is acted upon by all."""

    def maximum_later(self, value: int) -> Callable[[], int]:
        """Begin `maximum`; what is given back waits for it, and is called once."""
        found = self.maximum(value)
        return lambda: found

    def bcast_object(self, value: T, *, root: int = 0) -> T:
        """``value`` of ``root``, which must pickle."""
        data = self._bcast_bytes(self._pickled(value) if self.rank == root else b"", root)
        if self.rank == root:
            return value
        result: T = pickle.loads(data)
        return result

    def gather_object(self, value: T) -> list[T] | None:
        """Every rank's ``value`` in order of rank at rank 0; None at the others."""
        parts = self._gather_bytes(self._pickled(value))
        return None if parts is None else [pickle.loads(part) for part in parts]

    def allgather_object(self, value: T) -> list[T]:
        """Every rank's ``value`` in order of rank."""
        return [pickle.loads(part) for part in self._allgather_bytes(self._pickled(value))]

    @abstractmethod
    def barrier(self) -> None:
        """Return when all ranks have called it."""

    @abstractmethod
    def abort(self, status: int = 1) -> None:
        """End this process and, as far as the launcher allows, the whole job, with exit ``status``. Does not return, runs no clean-up."""

    def use_device(self, device: torch.device) -> None:
        """Say which device this rank's tensors live on, and choose how they travel; `description` tells the choice."""
        from caffepy.parallel.transport.device import choose_plane

        self._plane = choose_plane(self, device)
        if self._plane is not None:
            self.description = f"{self.description}, {self._plane.description}"

    def nccl_plane(self, device: torch.device) -> DevicePlane:
        """An NCCL group of all ranks, each with the GPU ``device`` of its own."""
        raise NotImplementedError

    def close(self) -> None:
        """Part from the others in good order.  Collective."""
        plane, self._plane = self._plane, None
        if plane is not None:
            plane.close()

    @abstractmethod
    def _bcast_cpu(self, flat: Tensor, root: int) -> None: ...

    @abstractmethod
    def _allreduce_cpu(self, flat: Tensor) -> None: ...

    @abstractmethod
    def _send(self, flat: Tensor, to: int, tag: int) -> Transfer: ...

    @abstractmethod
    def _receive(self, flat: Tensor, source: int, tag: int) -> Transfer: ...

    @abstractmethod
    def _bcast_bytes(self, data: bytes, root: int) -> bytes: ...

    @abstractmethod
    def _gather_bytes(self, data: bytes) -> list[bytes] | None: ...

    @abstractmethod
    def _allgather_bytes(self, data: bytes) -> list[bytes]: ...

    def _device_plane(self) -> DevicePlane:
        if self._plane is None:
            raise RuntimeError(
                "a GPU's tensor was given to a communicator that was told of no GPU (use_device)"
            )
        return self._plane

    def _pickled(self, value: object) -> bytes:
        data = pickle.dumps(value)
        self.traffic.count("object", len(data))
        return data


def group_ranks(hosts: Sequence[object]) -> list[list[int]]:
    """Ranks by host, from every rank's host in order of rank."""
    groups: dict[object, list[int]] = {}
    for rank, host in enumerate(hosts):
        groups.setdefault(host, []).append(rank)
    return list(groups.values())


def count_bytes(tensor: Tensor) -> int:
    """Bytes of a tensor's values."""
    return tensor.numel() * tensor.element_size()
