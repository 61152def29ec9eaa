"""Collectives of real ranks: over MPI, and over torch.distributed as torchrun starts it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.mpi.launch import Finished, finish, program, run_ranks, start

pytestmark = pytest.mark.mpi

COLLECTIVES = """
import torch
total = torch.arange(5.0) * (c.rank + 1)
c.allreduce_(total)
told = torch.full((2, 2), float(c.rank))
c.bcast_(told, root=1)
parts = c.gather_object({"rank": c.rank})
say({
    "size": c.size, "local": [c.local_rank, c.local_size], "total": total.tolist(), "told": told.tolist(),
    "maximum": c.maximum(c.rank - 5), "object": c.bcast_object(f"of {c.rank}", root=1),
    "parts": parts, "all": c.allgather_object(c.rank * 2), "sent": c.traffic.sent_bytes["allreduce"],
    "description": c.description,
})
c.barrier()
"""


def _check_collectives(job: Finished, size: int) -> None:
    assert job.code == 0, job.err
    results = job.results()
    assert len(results) == size
    factor = size * (size + 1) // 2
    for rank, found in enumerate(results):
        assert found["size"] == size
        assert found["local"] == [rank, size]
        assert found["total"] == [factor * i for i in range(5)]
        assert found["told"] == [[1.0, 1.0], [1.0, 1.0]]
        assert found["maximum"] == size - 6
        assert found["object"] == "of 1"
        assert found["parts"] == ([{"rank": r} for r in range(size)] if rank == 0 else None)
        assert found["all"] == [2 * r for r in range(size)]
        assert found["sent"] == 20


@pytest.mark.parametrize("size", [2, 4])
def test_collectives_over_mpi(size: int) -> None:
    job = run_ranks(size, COLLECTIVES)
    _check_collectives(job, size)
    assert job.results()[0]["description"].startswith("MPI (")


def test_collectives_under_torchrun() -> None:
    torchrun = [str(Path(sys.executable).parent / "torchrun"), "--standalone", "--nproc-per-node", "2", "--no-python"]
    job = finish(start([*torchrun, *program(COLLECTIVES)]), limit_s=90)
    _check_collectives(job, 2)
    assert "gloo" in job.results()[0]["description"]


def test_a_sum_is_the_same_bits_on_every_rank_in_every_run() -> None:
    body = """
import hashlib, torch
values = torch.randn(100_003, generator=torch.Generator().manual_seed(c.rank))
c.allreduce_(values)
say(hashlib.sha256(values.numpy().tobytes()).hexdigest())
"""
    first, second = run_ranks(3, body).results(), run_ranks(3, body).results()
    assert first == second
    assert len(set(first)) == 1


def test_different_parameters_are_found_and_said_once() -> None:
    job = run_ranks(
        3,
        """
import torch
from caffepy.parallel.job.consistency import check_equal
check_equal(c, {"ip1[0]": torch.tensor([1.0 + (c.rank == 2)])}, "at iteration 500")
""",
    )
    assert job.code != 0
    (message,) = job.fatal()
    assert message.startswith("rank 0 on testhost: the ranks differ at iteration 500: rank 2 on testhost: ip1[0] hashes to ")


def test_the_ranks_of_a_host_share_its_cores() -> None:
    body = """
from caffepy.parallel.job.threads import choose_threads
import os
say([choose_threads(c, 4, {}), choose_threads(c, 4, os.environ)])
"""
    job = run_ranks(2, body)
    assert job.results() == [[2, 4], [2, 4]], "half of the default, and all of it where the user set OMP_NUM_THREADS"


def test_ranks_that_wait_leave_the_processor_to_others() -> None:
    """Rank 1 comes late to every collective call; the others sleep meanwhile, as a rank on their core would compute."""
    body = """
import time, torch
calls = {
    "maximum": lambda: c.maximum(1), "maximum_later": lambda: c.maximum_later(1)(), "barrier": c.barrier,
    "bcast_": lambda: c.bcast_(torch.zeros(5), root=1), "allreduce_": lambda: c.allreduce_(torch.zeros(5)),
    "bcast_object": lambda: c.bcast_object("x", root=1), "gather_object": lambda: c.gather_object("x"),
    "allgather_object": lambda: c.allgather_object("x"),
}
shares = {}
for name, call in calls.items():
    c.barrier()
    time.sleep(0.1 * (c.rank == 1))
    began, used = time.perf_counter(), time.thread_time()
    call()
    shares[name] = (time.thread_time() - used) / (time.perf_counter() - began)
say(shares)
"""
    first, _, third = run_ranks(3, body).results()
    assert max(*first.values(), *third.values()) < 0.3
