from __future__ import annotations

import pytest
import torch

from caffepy.parallel.exchange.core.base import Serving
from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.transport.communicator import Communicator
from caffepy.parallel.transport.single import Single
from tests.parallel.exchange.nets import make_net, reference
from tests.parallel.ranks import run_ranks

ALONE = Single(Launch("single", 0, 1, 0, 1, "h"))


@pytest.mark.parametrize("joint", [False, True], ids=["", "joint"])
@pytest.mark.parametrize(("size", "groups"), [(4, 2), (6, 2), (6, 3), (3, 1)])
def test_without_staleness_the_weights_are_those_of_one_process(size: int, groups: int, joint: bool) -> None:
    def body(c: Communicator) -> list[torch.Tensor]:
        net = make_net(c, "ps", serving=Serving(groups=groups), joint=joint)
        for iteration in range(5):
            net.iterate(iteration, c.rank)
        net.exchange.settle()
        return net.weights

    expected = reference(ALONE, size)
    for weights in run_ranks(size, body, hosts=["a", "b"] * (size // 2) + ["a"] * (size % 2)):
        for found, wanted in zip(weights, expected):
            torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-6)


def _steps(c: Communicator) -> list[torch.Tensor]:
    """All weights at the start of each iteration."""
    net = make_net(c, "ps", serving=Serving(1, groups=2))
    found = []
    for iteration in range(6):
        for param in range(len(net.weights)):
            net.exchange.wait(param)
        found.append(torch.cat([weight.flatten() for weight in net.weights]))
        net.iterate(iteration, c.rank)
    net.exchange.settle()
    return [*found, torch.cat([weight.flatten() for weight in net.weights])]


def test_the_ranks_of_a_group_are_equal_all_the_time_and_all_are_in_the_end() -> None:
    first, mate, other, others_mate = run_ranks(4, _steps)
    for mine, theirs in ((first, mate), (other, others_mate)):
        assert all(torch.equal(a, b) for a, b in zip(mine, theirs))
    assert any(not torch.equal(a, b) for a, b in zip(first, other)), "groups go their own ways between updates"
    assert torch.equal(first[-1], other[-1])


def test_a_training_with_groups_can_be_repeated() -> None:
    assert all(torch.equal(a, b) for a, b in zip(run_ranks(4, _steps)[0], run_ranks(4, _steps)[0]))


def test_bytes() -> None:
    def body(c: Communicator) -> tuple[int, int]:
        net = make_net(c, "ps", serving=Serving(groups=2))
        net.iterate(0, c.rank)
        net.exchange.settle()
        return c.traffic.sent_bytes["send"], 4 * net.exchange.buffer.flat.numel()

    results = run_ranks(6, body)
    assert sum(sent for sent, _ in results) == (3 * (6 - 2) + 2 * (2 - 1)) * results[0][1]
