"""How tensors of a GPU travel.

By NCCL between GPUs, or through pinned host memory and the CPU's communicator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

import torch

if TYPE_CHECKING:
    from torch import Tensor

T = TypeVar("T")


class Awaited(Protocol):
    """A collective of a GPU that is under way."""

    def wait(self) -> object:
        """Let the current stream wait for it; the host goes on."""


class DevicePlane(Protocol):
    """Collectives on tensors of this rank's GPU, in the order of its current stream."""

    @property
    def description(self) -> str:
        """A few words for the log."""

    @property
    def overlaps(self) -> bool:
        """The GPU does all of it, and the host takes no part.

        So it goes on beside other work, and can be a part of a CUDA graph.
        """

    def bcast_(self, tensor: Tensor, root: int) -> None:
        """Overwrite ``tensor`` with that of ``root``."""

    def allreduce_(self, tensor: Tensor) -> None:
        """Overwrite ``tensor`` with the sum over the ranks."""

    def allreduce_later(self, tensor: Tensor) -> Awaited:
        """Begin to, beside what is asked of the current stream next; where it `overlaps`."""

    def close(self) -> None:
        """Leave the other ranks in good order.  Collective."""


class Ranks(Protocol):
    """What is needed of a communicator here."""

    rank: int
    host: str

    def bcast_(self, tensor: Tensor, *, root: int = 0) -> None:
        """Overwrite ``tensor``, of the CPU, on every rank with that of ``root``."""

    def allreduce_(self, tensor: Tensor) -> None:
        """Overwrite ``tensor``, of the CPU, on every rank with the sum over the ranks."""

    def allgather_object(self, value: T) -> list[T]:
        """Every rank's ``value`` in order of rank."""

    def nccl_plane(self, device: torch.device) -> DevicePlane:
        """An NCCL group of all ranks."""


class Staged:
    """Copies to pinned host memory, the CPU's collective, and copies back.

    It works where ranks share a GPU, and with any MPI.
    """

    description = "GPU tensors through pinned host memory"
    overlaps = False

    def __init__(self, communicator: Ranks) -> None:
        self._communicator = communicator
        self._pinned = torch.empty(0, dtype=torch.uint8)

    def bcast_(self, tensor: Tensor, root: int) -> None:
        """Broadcast of a host copy."""
        host = self._host(tensor)
        if self._communicator.rank == root:
            host.copy_(tensor)
        self._communicator.bcast_(host, root=root)
        if self._communicator.rank != root:
            tensor.copy_(host)

    def allreduce_(self, tensor: Tensor) -> None:
        """All-reduce of a host copy."""
        host = self._host(tensor)
        host.copy_(tensor)  # returns when the values are there: the host reads them next
        self._communicator.allreduce_(host)
        tensor.copy_(host, non_blocking=True)
        torch.cuda.current_stream(
            tensor.device
        ).synchronize()  # the next call overwrites the host copy

    def allreduce_later(self, tensor: Tensor) -> Awaited:
        """RuntimeError: the host takes part."""
        raise RuntimeError(f"{self.description}: no all-reduce goes on without the host")

    def close(self) -> None:
        """There is nothing to leave."""

    def _host(self, tensor: Tensor) -> Tensor:
        """A pinned tensor of the same shape and dtype; its memory is kept from call to call."""
        n_bytes = tensor.nbytes
        if self._pinned.numel() < n_bytes:
            self._pinned = torch.empty(
                n_bytes, dtype=torch.uint8, pin_memory=torch.cuda.is_available()
            )
        return self._pinned[:n_bytes].view(tensor.dtype).view(tensor.shape)


def choose_plane(communicator: Ranks, device: torch.device) -> DevicePlane | None:
    """NCCL where every rank has a GPU that no other rank has, else by host memory.  Collective.

    None for a rank that computes on the CPU.
    """
    mine = _identity(device) if device.type == "cuda" else None
    gpus = communicator.allgather_object((communicator.host, mine))
    if (
        can_use_nccl(gpus)
        and torch.distributed.is_available()
        and torch.distributed.is_nccl_available()
    ):
        return communicator.nccl_plane(device)
    return None if mine is None else Staged(communicator)


def can_use_nccl(gpus: list[tuple[str, str | None]]) -> bool:
    """Whether these (host, GPU) pairs, one for each rank, are all different, and none lacks a GPU.

    NCCL refuses two ranks on one GPU.
    """
    return all(gpu is not None for _, gpu in gpus) and len(set(gpus)) == len(gpus)


def _identity(device: torch.device) -> str:
    properties = torch.cuda.get_device_properties(device)
    return str(getattr(properties, "uuid", None) or f"index {device.index}")
