"""The communicator over torch.distributed, for ranks that torchrun started.

By gloo for the CPU, by NCCL for GPUs.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.distributed import TCPStore  # type: ignore[attr-defined]  # torch's types lack it

from caffepy.errors import ParallelError, first_line
from caffepy.parallel.launch.variables import LISTEN
from caffepy.parallel.transport.communicator import Communicator, group_ranks
from caffepy.parallel.transport.device import DevicePlane
from caffepy.parallel.transport.listeners import allow_handles, listeners, stop_listening
from caffepy.parallel.transport.nccl import Nccl
from caffepy.parallel.transport.transfer import Transfer

if TYPE_CHECKING:
    from torch import Tensor

    from caffepy.parallel.launch.environment import Launch


LIBUV_LISTENS = tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 8)
"""Whether torch's newer kind of store takes a listener that others made."""
BACKLOG = 1024
MESSAGES = 256
"""Messages that may be under way.

gloo cannot be asked whether one has arrived, only told to wait: each has a thread for that.
"""


class _Awaited:
    """A message for which a thread waits."""

    def __init__(self, future: Future[Any]) -> None:
        self._future = future

    def done(self) -> bool:
        """The thread has seen it; raises what the thread has met."""
        if not self._future.done():
            return False
        self._future.result()
        return True


class TorchGroup(Communicator):
    """Ranks joined by torch.distributed's default group, which is of gloo."""

    def __init__(self, launch: Launch, *, groups: Sequence[Sequence[int]]) -> None:
        super().__init__(
            launch, groups=groups, description=f"torch.distributed {torch.__version__} (gloo)"
        )
        self._waiters = ThreadPoolExecutor(MESSAGES, thread_name_prefix="gloo")

    def maximum(self, value: int) -> int:
        """By an all-reduce of one number."""
        self.traffic.count("maximum", 8)
        number = torch.tensor([value], dtype=torch.int64)
        dist.all_reduce(number, op=dist.ReduceOp.MAX)
        return int(number.item())

    def barrier(self) -> None:
        dist.barrier()

    def abort(self, status: int = 1) -> None:
        """End this process; torchrun then ends the others."""
        os._exit(status)

    def nccl_plane(self, device: torch.device) -> DevicePlane:
        """In a second group, of NCCL."""
        torch.cuda.set_device(device)
        return Nccl(dist.new_group(backend="nccl"))

    def close(self) -> None:
        super().close()
        self._waiters.shutdown()
        dist.destroy_process_group()

    def _bcast_cpu(self, flat: Tensor, root: int) -> None:
        dist.broadcast(flat, src=root)

    def _allreduce_cpu(self, flat: Tensor) -> None:
        dist.all_reduce(flat)

    def _send(self, flat: Tensor, to: int, tag: int) -> Transfer:
        return self._awaited(dist.isend(flat, dst=to, tag=tag))

    def _receive(self, flat: Tensor, source: int, tag: int) -> Transfer:
        return self._awaited(dist.irecv(flat, src=source, tag=tag))

    def _awaited(self, work: dist.Work | None) -> Transfer:
        assert work is not None  # as for ranks outside of the group
        return _Awaited(self._waiters.submit(work.wait))

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


def listening_store(address: str, port: int = 0) -> TCPStore:
    """A TCPStore that this process holds for the others, at one address.

    torch's own listen at all addresses. ParallelError if it cannot listen.
    """
    try:
        with socket.create_server((address, port), backlog=BACKLOG) as listener:
            port = listener.getsockname()[1]
            descriptor = listener.detach()
    except OSError as error:
        raise ParallelError(
            f"{address}:{port}: the ranks cannot meet there: {error.strerror}"
        ) from None
    return TCPStore(
        address or "127.0.0.1",
        port,
        is_master=True,
        wait_for_workers=False,
        master_listen_fd=descriptor,
        use_libuv=LIBUV_LISTENS,
    )


def connect_torch(launch: Launch, *, meeting: str = "env://") -> TorchGroup:
    """The communicator of a job that torchrun started, with its MASTER_ADDR and MASTER_PORT.

    Where all ranks have the variable ``LISTEN``, rank 0's store is at the address in its own, and
    not at all addresses of the host. ``meeting``: another place where the ranks find one another,
    such as ``file:///tmp/name``.
    Errors: ParallelError when the group cannot be made.
    """
    allow_handles()
    before = listeners()
    os.environ.setdefault("TORCH_GLOO_LAZY_INIT", "0")
    try:
        if LISTEN in os.environ and meeting == "env://":
            host = os.environ["MASTER_ADDR"]
            port = int(os.environ["MASTER_PORT"])
            address = os.environ[LISTEN]
            store = listening_store(address, port) if launch.rank == 0 else TCPStore(host, port)
            before |= listeners()
            dist.init_process_group("gloo", store=store, rank=launch.rank, world_size=launch.size)
        else:
            dist.init_process_group(
                "gloo", init_method=meeting, rank=launch.rank, world_size=launch.size
            )
    except (RuntimeError, ValueError) as error:
        raise ParallelError(
            f"{launch.started_by} started {launch.size} ranks, "
            f"but they cannot join: {first_line(error)}"
        ) from error
    hosts: list[Any] = [None] * launch.size
    dist.all_gather_object(hosts, launch.host)
    if os.environ["TORCH_GLOO_LAZY_INIT"] == "0":
        # All ranks have found one another. gloo would go on to accept whoever connects, until it
        # has no handles left and ends the process.
        stop_listening(
            {descriptor for descriptor in listeners() - before if not _is_store(descriptor)}
        )
    return TorchGroup(launch, groups=group_ranks(hosts))


def _is_store(descriptor: int) -> bool:
    """Whether a listening socket is torchrun's store, which may still be asked."""
    with socket.socket(fileno=os.dup(descriptor)) as listener:
        return str(listener.getsockname()[1]) == os.environ.get("MASTER_PORT")
