"""Every synchronous exchange makes the weights of one process, on ranks that are threads."""

from __future__ import annotations

import pytest
import torch

from caffepy.parallel.exchange.core.registry import EXCHANGES
from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.transport.single import Single
from tests.parallel.exchange.nets import reference, train
from tests.parallel.ranks import run_ranks

ALONE = Single(Launch("single", 0, 1, 0, 1, "h"))
HOSTS = {2: ["a", "a"], 3: ["a", "b", "a"], 4: ["a", "a", "b", "b"], 5: ["a", "b", "b", "c", "b"]}
SYNCHRONOUS = sorted(set(EXCHANGES) - {"null"})


@pytest.mark.parametrize("average", [True, False], ids=["mean", "sum"])
@pytest.mark.parametrize("joint", [False, True], ids=["", "joint"])
@pytest.mark.parametrize("lazy", [False, True], ids=["", "lazy"])
@pytest.mark.parametrize("size", HOSTS)
@pytest.mark.parametrize("name", SYNCHRONOUS)
def test_weights_are_those_of_one_process(name: str, size: int, lazy: bool, joint: bool, average: bool) -> None:
    expected = reference(ALONE, size, average=average)
    results = run_ranks(size, lambda c: train(c, name, joint=joint, average=average, lazy=lazy), hosts=HOSTS[size])
    for weights in results:
        for found, wanted in zip(weights, expected):
            torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-6)
    for weights in results[1:]:
        assert all(torch.equal(a, b) for a, b in zip(weights, results[0])), "the same bits on every rank"
