"""What every rank can do with the others.

One base class; `single`, `mpi` and `torch_group` bring the transport.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from caffepy.errors import ParallelError
from caffepy.parallel.launch.place import START

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


@dataclass
class Traffic:
    """What this rank sent, by kind of call (``allreduce``, ``bcast``, ``object`` ...).

    ``sent_bytes``: payload, counted once for each call. How often it crosses a wire depends on the
    algorithm below.
    """

    calls: Counter[str] = field(default_factory=Counter)
    sent_bytes: Counter[str] = field(default_factory=Counter)

    def count(self, kind: str, n_bytes: int) -> None:
        """One call of ``kind`` with ``n_bytes`` of payload from this rank."""
        self.calls[kind] += 1
        self.sent_bytes[kind] += n_bytes


class Reads(Protocol):
    """Memory of every rank that the others can read."""

    def read(
        self, rank: int, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
    ) -> list[Buffer]:
        """Copies of pieces of the memory that ``rank`` has opened.

        That rank takes no part. Any thread may call this.
        """


class Communicator(ABC):
    """The ranks of one job.

    Every method but `abort`, `send` and `receive` is collective: all ranks call it, in the same
    order. Tensors are contiguous and of the same shape and dtype on all ranks. Those of a GPU need
    `use_device` first.

    ``groups``: the ranks by host, hosts in the order of their first ranks.
    ``local_rank``, ``local_size``: place among the ranks of this host.
    ``description``: one line for the log.
    ``threaded``: `send` and `receive` may be called by another thread than the rest.
    ``place``: where this rank is in its work; ``str`` of it gives words (``iteration 120, ...``).
    The solver keeps it up to date, and messages about a dead rank quote it.
    """

    def __init__(
        self,
        launch: Launch,
        *,
        groups: Sequence[Sequence[int]],
        description: str,
        threaded: bool = True,
    ) -> None:
        self.rank = launch.rank
        self.size = launch.size
        self.host = launch.host
        self.launcher = launch.launcher
        self.groups = tuple(tuple(group) for group in groups)
        self.local_rank = self.neighbours.index(launch.rank)
        self.local_size = len(self.neighbours)
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
        """The ranks of this host, with itself."""
        return next(group for group in self.groups if self.rank in group)

    def bcast_(self, tensor: Tensor, *, root: int = 0) -> None:
        """Overwrite ``tensor`` on every rank with that of ``root``."""
        self.traffic.count("bcast", count_bytes(tensor) if self.rank == root else 0)
        if tensor.is_cuda:
            self._device_plane().bcast_(tensor, root)
        else:
            self._bcast_cpu(tensor.detach().view(-1), root)

    def allreduce_(self, tensor: Tensor) -> None:
        """Overwrite ``tensor`` on every rank with the sum over the ranks: the same bits on all."""
        self.traffic.count("allreduce", count_bytes(tensor))
        if tensor.is_cuda:
            self._device_plane().allreduce_(tensor)
        else:
            self._allreduce_cpu(tensor.detach().view(-1))

    @property
    def overlaps(self) -> bool:
        """`allreduce_later` can be called."""
        return self._plane is not None and self._plane.overlaps

    def allreduce_later(self, tensor: Tensor) -> Awaited:
        """Begin to overwrite a GPU's ``tensor`` with the sum over the ranks, where it `overlaps`.

        It goes on beside what is asked of the GPU next.
        """
        self.traffic.count("allreduce", count_bytes(tensor))
        return self._device_plane().allreduce_later(tensor)

    def send(self, tensor: Tensor, to: int, tag: int) -> Transfer:
        """Begin to send a tensor of the CPU.  Not collective.

        The tensor must not change before the transfer is done.
        """
        self.traffic.count("send", count_bytes(tensor))
        return self._send(tensor.detach().view(-1), to, tag)

    def receive(self, tensor: Tensor, source: int, tag: int) -> Transfer:
        """Begin to overwrite a CPU tensor by what ``source`` sends.  Not collective."""
        return self._receive(tensor.detach().view(-1), source, tag)

    def window(self, n_values: int, n_counters: int) -> Window:
        """Zeros that the other ranks can write into; sizes may differ.

        Errors: ParallelError where the transport has no one-sided transfers.
        """
        raise ParallelError(
            f"{self.description}: it has no one-sided transfers; "
            "needed: an MPI launcher, or -exchange tree"
        )

    def lay_open(self, memory: memoryview) -> Reads:
        """Let the other ranks read ``memory`` from now on.

        Errors: ParallelError where the transport has no one-sided transfers.
        """
        raise ParallelError(
            f"{self.description}: it has no one-sided reads; "
            "needed: an MPI launcher with threads, or no -in_memory"
        )

    @abstractmethod
    def maximum(self, value: int) -> int:
        """The largest ``value`` of any rank.

        So all ranks act upon a signal that one of them has received.
        """

    def maximum_later(self, value: int) -> Callable[[], int]:
        """Begin `maximum`; the function that this gives waits for it, and is called once."""
        maximum = self.maximum(value)
        return lambda: maximum

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
        """End this process and, as far as the launcher allows, the whole job.

        It does not return, and runs no clean-up. ``status``: the exit status.
        """

    def use_device(self, device: torch.device) -> None:
        """Tell on which device this rank's tensors are, and choose how they travel.

        The choice is added to `description`.
        """
        from caffepy.parallel.transport.device import choose_plane

        self._plane = choose_plane(self, device)
        if self._plane is not None:
            self.description = f"{self.description}, {self._plane.description}"

    def nccl_plane(self, device: torch.device) -> DevicePlane:
        """An NCCL group of all ranks, each of which has the GPU ``device`` for itself."""
        raise NotImplementedError

    def close(self) -> None:
        """Leave the job in good order.  Collective."""
        if self._plane is not None:
            plane = self._plane
            self._plane = None
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
