"""What the base class adds to any transport: counting, objects, GPU tensors that nobody can carry."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.transport.communicator import Communicator, count_bytes
from caffepy.parallel.transport.single import Single
from tests.parallel.ranks import run_ranks


def test_collectives_over_three_ranks() -> None:
    def body(c: Communicator) -> tuple[list[float], list[float], int, str, list[int] | None, list[int]]:
        total = torch.full((2,), float(c.rank + 1))
        c.allreduce_(total)
        told = torch.full((2,), float(c.rank))
        c.bcast_(told, root=2)
        return (
            total.tolist(),
            told.tolist(),
            c.maximum(c.rank * 10),
            c.bcast_object(f"of {c.rank}", root=1),
            c.gather_object(c.rank),
            c.allgather_object(-c.rank),
        )

    expected = ([6.0, 6.0], [2.0, 2.0], 20, "of 1")
    results = run_ranks(3, body)
    assert [r[:4] for r in results] == [expected] * 3
    assert [r[4] for r in results] == [[0, 1, 2], None, None]
    assert [r[5] for r in results] == [[0, -1, -2]] * 3


def test_traffic_counts_payload_by_kind() -> None:
    def body(c: Communicator) -> tuple[int, int, int]:
        c.allreduce_(torch.zeros(5))
        c.allreduce_(torch.zeros(3, dtype=torch.float64))
        c.bcast_(torch.zeros(4), root=1)
        return c.traffic.sent_bytes["allreduce"], c.traffic.calls["allreduce"], c.traffic.sent_bytes["bcast"]

    assert run_ranks(2, body) == [(44, 2, 0), (44, 2, 16)]


def test_count_bytes() -> None:
    assert count_bytes(torch.zeros(3, 4, dtype=torch.float16)) == 24


def test_a_gpu_tensor_needs_a_device() -> None:
    tensor = SimpleNamespace(is_cuda=True, numel=lambda: 1, element_size=lambda: 4)

    def body(c: Communicator) -> None:
        with pytest.raises(RuntimeError, match="told of no GPU"):
            c.allreduce_(tensor)

    run_ranks(1, body)


def test_single_gives_back_what_it_got() -> None:
    alone = Single(Launch("single", 0, 1, 0, 1, "h"))
    values = torch.arange(3.0)
    alone.allreduce_(values)
    alone.bcast_(values)
    alone.barrier()
    assert values.tolist() == [0, 1, 2]
    assert alone.maximum(-4) == -4
    assert alone.bcast_object("x") == "x"
    assert alone.gather_object("x") == alone.allgather_object("x") == ["x"]
    assert alone.is_root
    assert not alone.traffic.calls
