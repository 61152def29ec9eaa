"""Where elements of tops lie in bottoms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from caffepy.net.coord_map import inverse, window_map


@pytest.mark.parametrize(("kernel", "stride", "pad", "dilation"), [(1, 1, 0, 1), (3, 2, 1, 1), (4, 2, 1, 1), (3, 1, 2, 2), (5, 3, 0, 4)])
def test_the_middle_of_each_window(kernel: int, stride: int, pad: int, dilation: int) -> None:
    step, start = window_map(Fraction(kernel), Fraction(stride), pad, dilation)
    for x in range(4):
        places = [x * stride - pad + k * dilation for k in range(kernel)]
        assert step * x + start == Fraction(sum(places), kernel)


def test_there_and_back_again() -> None:
    step, start = window_map(np.array([3, 4]), np.array([2, 1]), np.array([1, 0]))
    back_step, back_start = inverse(step, start)
    np.testing.assert_allclose(back_step * (step * 5 + start) + back_start, [5, 5])
