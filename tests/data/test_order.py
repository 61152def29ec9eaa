"""The order of a list's items."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caffepy.data.order import Order, Permutations
from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.errors import DataError


@pytest.mark.parametrize(("length", "size"), [(7, 1), (7, 2), (6, 2), (5, 3)])
@pytest.mark.parametrize("shuffled", [False, True])
def test_ranks_together_see_what_one_rank_sees(length: int, size: int, shuffled: bool) -> None:
    orders = [Order(length, Shard(rank, size)) for rank in range(size)]
    whole = Order(length, Shard())
    if shuffled:
        for order in (*orders, whole):
            order.shuffle(Mt19937(3))
    found = [order.take(12).tolist() for order in orders]
    assert [found[i % size][i // size] for i in range(12 * size)] == whole.take(12 * size).tolist()


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
    assert first.take(30).tolist() == second.take(30).tolist()


def test_a_state_of_another_list() -> None:
    order = Order(9, Shard())
    order.shuffle(Mt19937(8))
    with pytest.raises(DataError, match="the saved order is of 9 items, there are 8 now"):
        Order(8, Shard()).restore(order.state())


def test_permutations_depend_on_seed_and_epoch_alone() -> None:
    orders = [Permutations(10), Permutations(10), Permutations(10)]
    for order, seed in zip(orders, (4, 4, 5)):
        order.seed = seed
    first, again, other = (order.at(np.arange(30)).tolist() for order in orders)
    assert first == again != other
    epochs = np.array(first).reshape(3, 10)
    assert (np.sort(epochs) == np.arange(10)).all()
    assert len({tuple(epoch) for epoch in epochs.tolist()}) == 3
    assert orders[0].at(np.arange(8, 12)).tolist() == first[8:12]
