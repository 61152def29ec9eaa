from __future__ import annotations

import pytest
import torch

from caffepy.parallel.exchange.core.base import Serving
from caffepy.parallel.transport.communicator import Communicator
from tests.parallel.exchange.nets import SHAPES, make_net
from tests.parallel.ranks import run_ranks


def test_each_rank_updates_what_it_owns() -> None:
    def body(c: Communicator) -> list[int]:
        net = make_net(c, "ps")
        net.iterate(0, c.rank)
        net.exchange.settle()
        updated = sorted(param for call in net.update.calls for param in call)
        assert updated == [param for param in range(len(SHAPES)) if net.exchange.keeper(param) == c.rank]
        return updated

    parts = run_ranks(3, body)
    assert all(parts)
    assert sorted(param for part in parts for param in part) == list(range(len(SHAPES)))


def test_without_staleness_the_lag_is_none_and_with_it_updates_are_complete() -> None:
    """Gradients that do not depend on the weights: whatever the staleness, the sums are the same."""

    def body(c: Communicator, staleness: int) -> list[torch.Tensor]:
        net = make_net(c, "ps", staleness=staleness)
        for iteration in range(6):
            for param in range(len(SHAPES)):
                net.exchange.wait(param)
            net.exchange.enter(iteration)
            net.exchange.finish([torch.full(shape, float(iteration + c.rank)) for shape in SHAPES])
        net.exchange.settle()
        return net.weights

    fresh, stale = (run_ranks(2, lambda c, s=s: body(c, s))[1] for s in (0, 2))
    assert all(torch.equal(a, b) for a, b in zip(fresh, stale))


def test_a_rank_goes_on_from_its_own_gradients_until_those_of_all_come() -> None:
    def body(c: Communicator) -> tuple[float, float, float]:
        net = make_net(c, "ps", staleness=1)
        weight = net.weights[1]
        start = weight[0].item()
        net.exchange.enter(0)
        net.exchange.finish([torch.full(shape, 1.0 + c.rank) for shape in SHAPES])
        mine = start - weight[0].item()
        net.exchange.enter(1)
        net.exchange.wait(1)
        net.exchange.finish([torch.zeros(shape) for shape in SHAPES])
        net.exchange.wait(1)  # the first update of all, at the latest
        after = start - weight[0].item()
        net.exchange.settle()
        return mine, after, start - weight[0].item()

    (mine0, after0, end0), (mine1, after1, end1) = run_ranks(2, body)
    assert (mine0, mine1) == (pytest.approx(0.1, rel=1e-4), pytest.approx(0.2, rel=1e-4)), "0.1 times its own gradient"
    assert after0 == pytest.approx(0.15 + 0.05, rel=1e-4) or after0 == pytest.approx(0.15 + 0.075, rel=1e-4), (
        "the mean, and its own momentum"
    )
    assert end0 == end1 == pytest.approx(0.15 + 0.075, rel=1e-4)
    assert after1 == pytest.approx(0.15 + 0.1, rel=1e-4) or after1 == pytest.approx(0.15 + 0.075, rel=1e-4)


@pytest.mark.parametrize("joint", [False, True], ids=["", "joint"])
def test_a_timeout_that_nobody_needs_changes_no_bit(joint: bool) -> None:
    def body(c: Communicator, timeout_s: float) -> list[torch.Tensor]:
        net = make_net(c, "ps", serving=Serving(timeout_s=timeout_s), joint=joint)
        for iteration in range(5):
            net.iterate(iteration, c.rank)
        net.exchange.settle()
        return net.weights

    patient, endless = (run_ranks(3, lambda c, s=s: body(c, s)) for s in (60.0, 0.0))
    for found, wanted in zip(patient, endless):
        assert all(torch.equal(a, b) for a, b in zip(found, wanted))
