from __future__ import annotations

import torch

from caffepy.parallel.transport.communicator import Communicator
from caffepy.parallel.transport.device import Staged, can_use_nccl, choose_plane
from tests.parallel.ranks import run_ranks


def test_nccl_needs_a_gpu_for_each_rank() -> None:
    assert can_use_nccl([("a", "0"), ("a", "1"), ("b", "0")])
    assert not can_use_nccl([("a", "0"), ("a", "0")])
    assert not can_use_nccl([("a", "0"), ("b", None)])


def test_ranks_on_the_cpu_have_no_plane() -> None:
    def body(c: Communicator) -> tuple[bool, str]:
        c.use_device(torch.device("cpu"))
        return choose_plane(c, torch.device("cpu")) is None, c.description

    assert run_ranks(2, body) == [(True, "threads")] * 2


def test_staged_broadcast_and_sum_keep_shape_and_dtype() -> None:
    """On CPU tensors, which the staging copies just the same; the synchronisation of a GPU's stream is left to the GPU tests."""

    def body(c: Communicator) -> list[list[float]]:
        staged = Staged(c)
        value = torch.full((2, 2), float(c.rank), dtype=torch.float64)
        staged.bcast_(value, 1)
        small = torch.full((1,), float(c.rank + 7))
        staged.bcast_(small, 0)
        return [value.flatten().tolist(), small.tolist()]

    assert run_ranks(2, body) == [[[1.0] * 4, [7.0]]] * 2
