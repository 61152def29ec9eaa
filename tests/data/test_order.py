"""The order of a list's items."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caffepy.data.order import Order
from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.data.source import Round
from caffepy.errors import DataError


@pytest.mark.parametrize(("length", "size"), [(7, 1), (7, 2), (6, 2), (3, 5), (1, 2)])
@pytest.mark.parametrize("shuffled", [False, True])
def test_ranks_together_see_what_one_rank_sees(length: int, size: int, shuffled: bool) -> None:
    orders = [Order(length, Shard(rank, size)) for rank in range(size)]
    whole = Order(length, Shard())
    if shuffled:
        for order in (*orders, whole):
            order.shuffle(Mt19937(3))
    found = [order.take(12) for order in orders]
    assert [found[i % size][i // size] for i in range(12 * size)] == whole.take(12 * size)


def test_each_pass_has_every_item_once_in_a_new_order() -> None:
    order = Order(20, Shard())
    order.shuffle(Mt19937(1))
    passes = np.array(order.take(100)).reshape(5, 20)
    assert (np.sort(passes) == np.arange(20)).all()
    assert len({tuple(one) for one in passes.tolist()}) == 5


@pytest.mark.parametrize("shuffled", [False, True])
def test_states_go_through_json(shuffled: bool) -> None:
    first, second = Order(9, Shard(1, 2)), Order(9, Shard(1, 2))
    if shuffled:
        first.shuffle(Mt19937(8))
    first.skip(3)
    first.take(5)
    second.restore(json.loads(json.dumps(first.state())))
    assert first.take(30) == second.take(30)


def test_a_state_of_another_list() -> None:
    order = Order(9, Shard())
    order.shuffle(Mt19937(8))
    with pytest.raises(DataError, match="the saved order is of 9 items, there are 8 now"):
        Order(8, Shard()).restore(order.state())


def test_rounds_of_records() -> None:
    ranks = [Round(Shard(rank, 3)) for rank in range(3)]
    for _ in range(2):
        numbers = sorted(number for rank in ranks for number in rank.advance(2))
    assert numbers == [6, 7, 8, 9, 10, 11]
    assert {rank.passed for rank in ranks} == {12}
