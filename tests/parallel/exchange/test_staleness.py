"""The bound of stale synchronous parallel, seen from outside: every read's and write's clock, and what is in what was read."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest

from caffepy.parallel.exchange.core.base import Serving
from tests.parallel.exchange.ledger import ITERATIONS, PARAMS, Witness, lacking
from tests.parallel.ranks import run_ranks


def _uneven(rank: int, iteration: int) -> None:
    """Ranks of uneven speed."""
    time.sleep(random.Random(100 * rank + iteration).random() * (0.01, 0.002, 0.02)[rank % 3])


def _one_stands_still(rank: int, iteration: int) -> None:
    """Rank 1 takes long for iteration 3, and rank 2 for iteration 6."""
    time.sleep(0.7 if (rank, iteration) in ((1, 3), (2, 6)) else 0.002)


def _watch(serving: Serving, pause: Callable[[int, int], None], *, size: int = 3, joint: bool = False) -> Witness:
    witness = Witness(size)
    run_ranks(size, lambda c: witness.run(c, serving, pause, joint=joint))
    for weights in witness.ends[1:]:
        assert all((a == b).all() for a, b in zip(weights, witness.ends[0])), "settled, all ranks hold the same"
    return witness


@pytest.mark.parametrize("joint", [False, True], ids=["", "joint"])
@pytest.mark.parametrize("staleness", [0, 1, 3])
def test_no_read_is_staler_than_allowed_and_some_are_stale(staleness: int, joint: bool) -> None:
    worst = _watch(Serving(staleness), _uneven, joint=joint).check(staleness)
    assert (worst > 0) == (staleness > 0)


@pytest.mark.parametrize("staleness", [0, 1, 2])
def test_groups_hold_the_same_bound(staleness: int) -> None:
    witness = _watch(Serving(staleness, groups=2), _uneven, size=4)
    assert witness.check(staleness) == staleness
    for read in witness.reads:
        mates = (0, 1) if read.rank < 2 else (2, 3)
        assert read.seen[list(mates), : read.clock].all(), "inside a group nothing is late"


@pytest.mark.parametrize("servers", [1, 2])
@pytest.mark.parametrize("staleness", [0, 2])
def test_few_servers_hold_the_same_bound(staleness: int, servers: int) -> None:
    _watch(Serving(staleness, servers=servers), _uneven).check(staleness)


@pytest.mark.parametrize("joint", [False, True], ids=["", "joint"])
@pytest.mark.parametrize("staleness", [0, 1, 2])
def test_a_late_gradient_goes_into_the_next_update(staleness: int, joint: bool) -> None:
    late = max(1, staleness)
    witness = _watch(Serving(staleness, timeout_s=0.1), _one_stands_still, joint=joint)
    assert witness.check(staleness + late) > 0
    if staleness == 0:
        assert {read.param for read in witness.reads if lacking(read)} == set(range(PARAMS)), "also by the late rank, where it is the owner"
    for weights in witness.ends:
        for moved in weights:
            settled = moved[:, : ITERATIONS - late]
            assert ((settled < -0.1 / 3 * 0.99) & (settled > -0.2 / 3 * 1.01)).all(), "each gradient is in, once"


def test_without_a_timeout_nobody_is_left_out() -> None:
    assert _watch(Serving(), _one_stands_still).check(0) == 0


def test_groups_that_are_late_are_left_out_too() -> None:
    assert _watch(Serving(1, groups=2, timeout_s=0.1), _one_stands_still, size=4).check(2) > 0
