"""Ranks for tests that need no MPI: a job of threads in one process, with the same communicator interface."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from torch import Tensor

from caffepy.parallel.communicator import Communicator, Transfer, count_bytes, group_ranks
from caffepy.parallel.environment import Launch

T = TypeVar("T")


class Job:
    """What the threads of one job share: a place for each rank's value, and a barrier around its use."""

    def __init__(self, size: int) -> None:
        self.values: list[Any] = [None] * size
        self.barrier = threading.Barrier(size, timeout=20)
        self.messages: dict[tuple[int, int, int], list[Tensor]] = defaultdict(list)

    def exchange(self, rank: int, value: Any) -> list[Any]:
        """Every rank's value."""
        self.values[rank] = value
        self.barrier.wait()
        everyone = list(self.values)
        self.barrier.wait()
        return everyone


@dataclass
class Sent:
    """A message that was copied at once."""

    def done(self) -> bool:
        return True


@dataclass
class Awaited:
    """A message that may not have been sent yet."""

    queue: list[Tensor]
    into: Tensor
    arrived: bool = False

    def done(self) -> bool:
        if not self.arrived and self.queue:
            self.into.copy_(self.queue.pop(0))
            self.arrived = True
        return self.arrived


@dataclass
class ThreadWindow:
    """Memory that the other threads write into.  ``everyone``: all ranks' windows."""

    values: Tensor
    counters: list[int]
    rank: ThreadRank
    everyone: list[ThreadWindow] = field(default_factory=list)

    def put(self, piece: Tensor, to: int, place: int, counter: int, number: int) -> Transfer:
        self.rank.traffic.count("send", count_bytes(piece))
        self.everyone[to].values[place : place + piece.numel()] = piece
        return self.tell(to, counter, number)

    def tell(self, to: int, counter: int, number: int) -> Transfer:
        assert number > self.everyone[to].counters[counter], "counters grow"
        self.everyone[to].counters[counter] = number
        return Sent()

    def told(self, counter: int) -> int:
        return self.counters[counter]


class ThreadRank(Communicator):
    """One thread as a rank."""

    def __init__(self, job: Job, rank: int, hosts: list[str]) -> None:
        launch = Launch("threads", rank, len(hosts), None, None, hosts[rank])
        super().__init__(launch, groups=group_ranks(hosts), description="threads")
        self._job = job

    def window(self, n_values: int, n_counters: int) -> ThreadWindow:
        window = ThreadWindow(torch.zeros(n_values), [0] * n_counters, self)
        window.everyone = self._job.exchange(self.rank, window)
        return window

    def maximum(self, value: int) -> int:
        return max(self._job.exchange(self.rank, value))

    def barrier(self) -> None:
        self._job.exchange(self.rank, None)

    def abort(self, status: int = 1) -> None:
        raise SystemExit(status)

    def close(self) -> None:
        pass

    def _bcast_cpu(self, flat: Tensor, root: int) -> None:
        flat.copy_(self._job.exchange(self.rank, flat.clone())[root])

    def _allreduce_cpu(self, flat: Tensor) -> None:
        flat.copy_(torch.stack(self._job.exchange(self.rank, flat.clone())).sum(0))

    def _send(self, flat: Tensor, to: int, tag: int) -> Transfer:
        self._job.messages[self.rank, to, tag].append(flat.clone())
        return Sent()

    def _receive(self, flat: Tensor, source: int, tag: int) -> Transfer:
        return Awaited(self._job.messages[source, self.rank, tag], flat)

    def _bcast_bytes(self, data: bytes, root: int) -> bytes:
        return bytes(self._job.exchange(self.rank, data)[root])

    def _gather_bytes(self, data: bytes) -> list[bytes] | None:
        parts = self._job.exchange(self.rank, data)
        return parts if self.is_root else None

    def _allgather_bytes(self, data: bytes) -> list[bytes]:
        return self._job.exchange(self.rank, data)


def run_ranks(size: int, body: Callable[[Communicator], T], *, hosts: list[str] | None = None) -> list[T]:
    """``body`` on ``size`` ranks at once; what it gave, by rank. An exception of any rank is raised here."""
    job = Job(size)
    results: list[Any] = [None] * size
    errors: list[BaseException] = []

    def work(rank: int) -> None:
        try:
            results[rank] = body(ThreadRank(job, rank, hosts or ["h"] * size))
        except BaseException as error:  # noqa: BLE001 - handed to the test
            errors.append(error)
            job.barrier.abort()

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        if not isinstance(error, threading.BrokenBarrierError):
            raise error
    if errors:
        raise errors[0]
    return results
