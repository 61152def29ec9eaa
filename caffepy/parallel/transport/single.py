"""The communicator of a process alone, under a launcher or not.

It moves nothing and loads no MPI.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn

from caffepy.parallel.transport.communicator import Communicator, T

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from caffepy.parallel.launch.environment import Launch


class Single(Communicator):
    """One rank: every collective gives back what it was given."""

    def __init__(self, launch: Launch) -> None:
        super().__init__(launch, groups=[[0]], description="single process")

    def bcast_(self, tensor: Tensor, *, root: int = 0) -> None:
        """There is no other rank."""

    def allreduce_(self, tensor: Tensor) -> None:
        """The sum over one rank is its value."""

    def maximum(self, value: int) -> int:
        return value

    def bcast_object(self, value: T, *, root: int = 0) -> T:
        return value

    def gather_object(self, value: T) -> list[T] | None:
        return [value]

    def allgather_object(self, value: T) -> list[T]:
        return [value]

    def barrier(self) -> None:
        """There is no other rank."""

    def use_device(self, device: torch.device) -> None:
        """No tensor ever travels."""

    def abort(self, status: int = 1) -> None:
        os._exit(status)

    def _bcast_cpu(self, flat: Tensor, root: int) -> None:
        """Never called: see `bcast_`."""

    def _allreduce_cpu(self, flat: Tensor) -> None:
        """Never called: see `allreduce_`."""

    def _send(self, flat: Tensor, to: int, tag: int) -> NoReturn:
        raise RuntimeError("a process alone has nobody to send to")

    def _receive(self, flat: Tensor, source: int, tag: int) -> NoReturn:
        raise RuntimeError("a process alone has nobody to receive from")

    def _bcast_bytes(self, data: bytes, root: int) -> bytes:
        return data

    def _gather_bytes(self, data: bytes) -> list[bytes] | None:
        return [data]

    def _allgather_bytes(self, data: bytes) -> list[bytes]:
        return [data]
