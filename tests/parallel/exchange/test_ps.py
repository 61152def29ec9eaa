from __future__ import annotations

import random
import time

import pytest
import torch

from caffepy.parallel.communicator import Communicator
from caffepy.parallel.exchange.ps import PsExchange
from caffepy.parallel.exchange.seats import divide
from tests.parallel.exchange.nets import SHAPES, make_net
from tests.parallel.ranks import run_ranks


def test_owners_carry_about_the_same() -> None:
    assert divide([10, 40, 20, 30], 2) == [1, 0, 1, 1] or divide([10, 40, 20, 30], 2) == [0, 0, 1, 1]
    assert divide([5, 5, 5], 1) == [0, 0, 0]
    assert sorted(divide([7] * 6, 3)) == [0, 0, 1, 1, 2, 2]


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


@pytest.mark.parametrize("joint", [False, True], ids=["", "joint"])
@pytest.mark.parametrize("staleness", [0, 1, 3])
def test_no_read_is_staler_than_allowed_and_some_are_stale(staleness: int, joint: bool) -> None:
    """Ranks of uneven speed; every read's clock and version are looked at."""
    iterations = 12

    def body(c: Communicator) -> tuple[list[int], list[torch.Tensor]]:
        net = make_net(c, "ps", staleness=staleness, joint=joint)
        exchange = net.exchange
        assert isinstance(exchange, PsExchange)
        lags, noise = [], random.Random(c.rank)
        for iteration in range(iterations):
            for param in range(len(SHAPES)):
                exchange.wait(param)
                lags.append(exchange.clock - exchange._table_of[param].version)
            net.iterate(iteration, c.rank)
            time.sleep(noise.random() * 0.01 * (c.rank == 1))
        exchange.settle()
        assert all(table.version == iterations for table in exchange.tables)
        return lags, net.weights

    results = run_ranks(3, body)
    lags = [lag for found, _ in results for lag in found]
    assert min(lags) >= 0
    assert max(lags) <= staleness
    assert (max(lags) > 0) == (staleness > 0)
    for _, weights in results[1:]:
        assert all(torch.equal(a, b) for a, b in zip(weights, results[0][1])), "settled, all ranks hold the same"


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
