"""The raw mt19937 stream."""

from __future__ import annotations

import json

import numpy as np

from caffepy.data.random import Mt19937


def test_check_value_of_the_cpp_standard() -> None:
    assert Mt19937(5489).raw(10000)[-1] == 4123659995


def test_draw_and_raw_are_one_stream() -> None:
    one, many = Mt19937(1701), Mt19937(1701)
    assert [one.draw() for _ in range(700)] == many.raw(700).tolist()


def test_seed_wraps_to_32_bits() -> None:
    np.testing.assert_array_equal(Mt19937(-1).raw(3), Mt19937(2**32 - 1).raw(3))


def test_restore_goes_on_where_state_was_taken() -> None:
    random = Mt19937(7)
    random.raw(1000)
    kept = json.loads(json.dumps(random.state()))
    expected = random.raw(1500)
    other = Mt19937(8)
    other.restore(kept)
    np.testing.assert_array_equal(other.raw(1500), expected)


def test_shuffle_is_a_permutation_and_repeats() -> None:
    order = Mt19937(3).shuffle(50)
    assert sorted(order.tolist()) == list(range(50))
    assert order.tolist() == Mt19937(3).shuffle(50).tolist() != list(range(50))


def test_uniform_int_stays_in_range_and_covers_it() -> None:
    random = Mt19937(1)
    assert {random.uniform_int(6) for _ in range(200)} == set(range(7))
    assert random.uniform_int(0) == 0
