"""How tensors of GPUs travel by NCCL, through torch.distributed."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist
from torch.distributed import TCPStore  # type: ignore[attr-defined]  # torch's types lack it

from caffepy.errors import ParallelError
from caffepy.parallel.launch.addresses import connect_to_first, own_addresses
from caffepy.parallel.transport.communicator import Communicator

if TYPE_CHECKING:
    from torch import Tensor

    from caffepy.parallel.transport.device import Awaited

START_TIMEOUT = timedelta(seconds=120)


class Nccl:
    """Collectives of an NCCL process group; the device's current stream waits, not the host."""

    description = "GPU tensors by NCCL"
    overlaps = True

    def __init__(self, group: dist.ProcessGroup | None) -> None:
        """``group``: the NCCL group of all ranks; None for torch.distributed's default group."""
        self._group = group

    def bcast_(self, tensor: Tensor, root: int) -> None:
        """By ncclBroadcast."""
        dist.broadcast(tensor, src=root, group=self._group)

    def allreduce_(self, tensor: Tensor) -> None:
        """By ncclAllReduce."""
        dist.all_reduce(tensor, group=self._group)

    def allreduce_later(self, tensor: Tensor) -> Awaited:
        """By ncclAllReduce on NCCL's own stream."""
        work: Awaited = dist.all_reduce(tensor, group=self._group, async_op=True)
        return work

    def close(self) -> None:
        """Leave the group, which waits for what is under way.

        A process that ends without that may stand still; torch warns of it.
        """
        dist.destroy_process_group(self._group)


def nccl_over(communicator: Communicator, device: torch.device) -> Nccl:
    """An NCCL group whose ranks find each other through ``communicator``.  Collective.

    Rank 0's store listens on a port that the system chooses and holds. Only then is the port told
    to the others: a port that is chosen, freed and told could be taken by somebody else.
    """
    torch.cuda.set_device(device)
    store = (
        TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False, timeout=START_TIMEOUT)
        if communicator.is_root
        else None
    )
    addresses, port = communicator.bcast_object(
        (own_addresses(), store.port if store is not None else 0)
    )
    if store is None:
        store = TCPStore(
            _reachable(addresses, port),
            port,
            is_master=False,
            wait_for_workers=False,
            timeout=START_TIMEOUT,
        )
    dist.init_process_group(
        "nccl", store=store, rank=communicator.rank, world_size=communicator.size, device_id=device
    )
    return Nccl(None)


def _reachable(addresses: list[str], port: int) -> str:
    connection = connect_to_first(addresses, port)
    if connection is None:
        raise ParallelError(
            f"rank 0's store for NCCL answers on none of {', '.join(addresses)} at port {port}; "
            "needed: a network between the hosts"
        )
    address = str(connection.getpeername()[0])
    connection.close()
    return address
