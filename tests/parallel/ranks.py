"""Ranks for tests that need no MPI: a job of threads in one process, with the same communicator interface."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from torch import Tensor

from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.transport.communicator import Communicator, count_bytes, group_ranks
from caffepy.parallel.transport.transfer import Transfer

T = TypeVar("T")


Address = tuple[int, int, int]
"""From, to, tag."""


class Mailbox:
    """Messages on their way. Of one address, the first to be sent goes to the first who asked for it, as in MPI.

    The lock covers more than it seems to need: looking up a missing list in a `defaultdict` may run the garbage collector,
    and then another thread, which makes a list of its own for the same address.
    """

    def __init__(self) -> None:
        self._sent: dict[Address, deque[Tensor]] = defaultdict(deque)
        self._awaited: dict[Address, deque[Awaited]] = defaultdict(deque)
        self._matching = threading.Lock()
        self.broken = False

    def send(self, message: Tensor, address: Address) -> None:
        """Give it to who waits for it, or keep it."""
        with self._matching:
            self._sent[address].append(message)
            self._match(address)

    def ask(self, receipt: Awaited, address: Address) -> None:
        """Take the next that nobody else has asked for, now or when it comes."""
        with self._matching:
            self._awaited[address].append(receipt)
            self._match(address)

    def _match(self, address: Address) -> None:
        sent, awaited = self._sent[address], self._awaited[address]
        if sent and awaited:
            awaited.popleft().message = sent.popleft()


class Job:
    """What the threads of one job share: a place for each rank's value, and a barrier around its use."""

    def __init__(self, size: int) -> None:
        self.values: list[Any] = [None] * size
        self.barrier = threading.Barrier(size, timeout=20)
        self.mailbox = Mailbox()

    def give_up(self) -> None:
        """A rank has failed: nobody waits for it any longer."""
        self.mailbox.broken = True
        self.barrier.abort()

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


@dataclass(eq=False)
class Awaited:
    """A message that may not have been sent yet; it is laid into its place when somebody looks."""

    mailbox: Mailbox
    into: Tensor
    message: Tensor | None = None
    arrived: bool = False

    def done(self) -> bool:
        if not self.arrived and self.message is not None:
            self.into.copy_(self.message)
            self.arrived = True
        if not self.arrived and self.mailbox.broken:
            raise threading.BrokenBarrierError
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
        return self.set_counter(to, counter, number)

    def set_counter(self, to: int, counter: int, number: int) -> Transfer:
        assert number > self.everyone[to].counters[counter], "counters grow"
        self.everyone[to].counters[counter] = number
        return Sent()

    def read_counter(self, counter: int) -> int:
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
        self._job.mailbox.send(flat.clone(), (self.rank, to, tag))
        return Sent()

    def _receive(self, flat: Tensor, source: int, tag: int) -> Transfer:
        receipt = Awaited(self._job.mailbox, flat)
        self._job.mailbox.ask(receipt, (source, self.rank, tag))
        return receipt

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
            job.give_up()

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
