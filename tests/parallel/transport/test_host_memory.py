from __future__ import annotations

from caffepy.parallel.transport.communicator import Communicator
from caffepy.parallel.transport.host_memory import CountersReached, HostMemory, everyone, one
from tests.parallel.ranks import run_ranks

HOSTS = ["a", "b", "a", "b", "b"]


def test_neighbours_see_what_a_rank_writes_and_others_do_not() -> None:
    def body(c: Communicator) -> list[list[float]]:
        memory = HostMemory(c, 5, 2)
        assert all(buffer.tolist() == [0.0] * 5 for buffer in memory.buffers)
        c.barrier()
        memory.buffers[c.local_rank].fill_(c.rank + 1.0)
        c.barrier()
        return [buffer.tolist() for buffer in memory.buffers]

    results = run_ranks(5, body, hosts=HOSTS)
    assert results[0] == results[2] == [[1.0] * 5, [3.0] * 5]
    assert results[1] == results[3] == results[4] == [[2.0] * 5, [4.0] * 5, [5.0] * 5]


def test_counters_are_reached_one_by_one() -> None:
    def body(c: Communicator) -> list[bool]:
        memory = HostMemory(c, 1, 2)
        c.barrier()
        if c.rank == 0:
            memory.set_counter(0, 1, 7)
        c.barrier()
        return [
            CountersReached(memory, one(0), 1, 7).done(),
            CountersReached(memory, one(0), 1, 8).done(),
            CountersReached(memory, everyone(), 1, 7).done(),
            CountersReached(memory, one(0), 0, 1).done(),
        ]

    assert run_ranks(2, body) == [[True, False, False, False]] * 2
