"""The raw mt19937 stream."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caffepy.data.random import Mt19937
from caffepy.layers.core.random import CaffeRandom


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
    order = Mt19937(3).shuffle(np.arange(50))
    assert sorted(order.tolist()) == list(range(50))
    assert order.tolist() == Mt19937(3).shuffle(np.arange(50)).tolist() != list(range(50))


def test_shuffle_throws_draws_beyond_the_last_bucket_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn one at a time with scripted draws: 2**32 - 1 fits no bucket of three."""
    draws = [0xFFFFFFFF, 0, 0xFFFFFFFF]  # thrown away; place 2 with 0; place 1 with 1
    taken = 0

    def raw(self: Mt19937, n: int) -> np.ndarray:
        nonlocal taken
        taken += n
        return np.array((draws + [0] * n)[taken - n : taken], dtype=np.uint32)

    def restore(self: Mt19937, state: int) -> None:
        nonlocal taken
        taken = state

    monkeypatch.setattr(Mt19937, "raw", raw)
    monkeypatch.setattr(Mt19937, "state", lambda self: taken)
    monkeypatch.setattr(Mt19937, "restore", restore)
    assert Mt19937(0).shuffle(np.array([10, 11, 12])).tolist() == [12, 11, 10]
    assert taken == 3


def test_shuffle_of_nothing_draws_nothing() -> None:
    random = Mt19937(1)
    before = random.state()
    assert random.shuffle(np.arange(0)).tolist() == []
    assert random.shuffle(np.arange(1)).tolist() == [0]
    assert random.state() == before


@pytest.mark.parametrize(
    ("a", "b"),
    [(0, 1), (0, 0), (0, 0.3), (0, 7), (0.5, 1.5), (-0.3, 0.1), (1e-3, 4), (-3e38, 3e38), (2, 2)],
)
def test_one_number_between_is_the_first_of_many(a: float, b: float) -> None:
    """Both ways of drawing give the same numbers and leave the stream at the same place."""
    one, many = CaffeRandom(5), CaffeRandom(5)
    assert [one.between(a, b) for _ in range(500)] == many.uniform(500, a, b).tolist()
    assert one.state() == many.state()


def test_a_range_that_no_number_is_in() -> None:
    with pytest.raises(ValueError, match="uniform from 2 to 1; needed: a finite"):
        CaffeRandom(5).between(2, 1)
