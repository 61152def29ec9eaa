"""Where elements of tops lie in bottoms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from caffepy.net.coord_map import compose, inverse, window_map


@pytest.mark.parametrize(
    ("kernel", "stride", "pad", "dilation"),
    [(1, 1, 0, 1), (3, 2, 1, 1), (4, 2, 1, 1), (3, 1, 2, 2), (5, 3, 0, 4)],
)
def test_the_middle_of_each_window(kernel: int, stride: int, pad: int, dilation: int) -> None:
    step, start = window_map(*map(Fraction, (kernel, stride, pad, dilation)))
    for x in range(4):
        places = [x * stride - pad + k * dilation for k in range(kernel)]
        assert step * x + start == Fraction(sum(places), kernel)


def test_there_and_back_again() -> None:
    step, start = window_map(np.array([3, 4]), np.array([2, 1]), np.array([1, 0]), np.array([1, 2]))
    back_step, back_start = inverse(step, start)
    np.testing.assert_allclose(back_step * (step * 5 + start) + back_start, [5, 5])


def test_one_layer_on_another() -> None:
    """Element 3 of the upper top lies at 2 * 3 + 1 = 7 of the lower one, and that at 3 * 7 - 1 = 20 of its bottom."""
    step, start = compose((Fraction(3), Fraction(-1)), (Fraction(2), Fraction(1)))
    assert step * 3 + start == 20
