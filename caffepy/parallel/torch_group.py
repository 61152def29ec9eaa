"""The communicator over torch.distributed, for ranks that torchrun started: gloo for the CPU, NCCL for GPUs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from caffepy.errors import ParallelError
from caffepy.parallel.communicator import Communicator, DevicePlane
from caffepy.parallel.nccl import Nccl

if TYPE_CHECKING:
    from torch import Tensor

    from caffepy.parallel.environment import Launch


class TorchGroup(Communicator):
    """Ranks joined by torch.distributed's default group, which is of gloo."""

    def __init__(self, launch: Launch, *, local_rank: int, local_size: int) -> None:
        super().__init__(launch, local_rank=local_rank, local_size=local_size, description=f"torch.distributed {torch.__version__} (gloo)")

    def maximum(self, value: int) -> int:
        """All-reduce of one number."""
        self.traffic.count("maximum", 8)
        number = torch.tensor([value], dtype=torch.int64)
        dist.all_reduce(number, op=dist.ReduceOp.MAX)
        return int(number.item())

    def barrier(self) -> None:
        """Barrier of the gloo group."""
        dist.barrier()

    def abort(self, status: int = 1) -> None:
        """End this process; torchrun then ends the others."""
        os._exit(status)

    def nccl_plane(self, device: torch.device) -> DevicePlane:
        """A second group, of NCCL."""
        torch.cuda.set_device(device)
        return Nccl(dist.new_group(backend="nccl"))

    def close(self) -> None:
        """Leave the group."""
        dist.destroy_process_group()

    def _bcast_cpu(self, flat: Tensor, root: int) -> None:
        dist.broadcast(flat, src=root)

    def _allreduce_cpu(self, flat: Tensor) -> None:
        dist.all_reduce(flat)

    def _bcast_bytes(self, data: bytes, root: int) -> bytes:
        values = [data]
        dist.broadcast_object_list(values, src=root)
        return values[0]

    def _gather_bytes(self, data: bytes) -> list[bytes] | None:
        values: list[Any] | None = [None] * self.size if self.is_root else None
        dist.gather_object(data, values)
        return values

    def _allgather_bytes(self, data: bytes) -> list[bytes]:
        values: list[Any] = [None] * self.size
        dist.all_gather_object(values, data)
        return values


def connect_torch(launch: Launch) -> TorchGroup:
    """The communicator of a job that torchrun started; MASTER_ADDR and MASTER_PORT come from it.

    Errors: ParallelError when the group cannot be made.
    """
    try:
        dist.init_process_group("gloo", rank=launch.rank, world_size=launch.size)
    except (RuntimeError, ValueError) as error:
        raise ParallelError(f"torchrun started {launch.size} ranks, but they cannot join: {str(error).splitlines()[0]}") from error
    hosts: list[Any] = [None] * launch.size
    dist.all_gather_object(hosts, launch.host)
    neighbours = [rank for rank, host in enumerate(hosts) if host == launch.host]
    return TorchGroup(launch, local_rank=neighbours.index(launch.rank), local_size=len(neighbours))
