"""Roundings of C++'s float."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caffepy.float32 import fused, fused_one, next32, product32, quotient32, round32


def nearest_float(exact: Fraction) -> np.float32:
    """``exact`` rounded to float32, ties to even, without trusting any floating-point rounding."""
    guess = np.float32(float(exact))
    around = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    return min(around, key=lambda f: (abs(Fraction(float(f)) - exact), int(f.view(np.uint32)) & 1))


finite = st.floats(-1000, 1000, width=32).filter(lambda v: v == 0 or abs(v) > 1e-10)


@given(finite, finite, finite)
def test_fused_rounds_once(a: float, b: float, c: float) -> None:
    found = fused(np.array([a], np.float32), np.float32(b), np.float32(c))[0]
    assert found == fused_one(a, b, c) == nearest_float(Fraction(a) * Fraction(b) + Fraction(c))


@pytest.mark.parametrize("tiny", [2.0**-60, -(2.0**-60)])
def test_fused_looks_behind_a_tie_that_double_rounding_made(tiny: float) -> None:
    a = np.float32(1 + 2.0**-12)  # a*a is half way between two floats
    found = fused(np.array([a]), a, np.float32(tiny))[0]
    assert found == fused_one(float(a), float(a), tiny)
    assert found == np.float32(1 + 2.0**-11 + (2.0**-23 if tiny > 0 else 0))


def test_round32() -> None:
    assert round32(0.1) == 0.10000000149011612
    assert type(round32(np.float64(2))) is float
    assert round32(3.5e38) == float("inf")
    assert round32(-3.5e38) == float("-inf")


@pytest.mark.parametrize("value", [0, 2.0**-149, 0.1, 0.99999994, 1])
def test_the_next_float32(value: float) -> None:
    assert next32(round32(value)) == np.nextafter(np.float32(value), np.float32(np.inf))


@given(finite, finite)
def test_products_and_quotients_are_rounded_to_float32(one: float, other: float) -> None:
    assert product32(one, other) == float(nearest_float(Fraction(one) * Fraction(other)))
    if other:
        assert quotient32(one, other) == float(nearest_float(Fraction(one) / Fraction(other)))
