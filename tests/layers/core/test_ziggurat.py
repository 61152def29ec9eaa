"""The block-wise ziggurat against the one-by-one one, and both against what is known of the normal distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caffepy.data.random import Mt19937
from caffepy.layers.core.ziggurat import EXPONENTIAL, NORMAL, exponential, normal, normals, uniform_01


def test_layers_have_the_published_edges() -> None:
    assert NORMAL.exact_x[:3] == pytest.approx([3.7130862467403632609, 3.4426198558966521214, 3.2230849845786185446], rel=1e-14)
    assert NORMAL.exact_x[126:] == pytest.approx([0.36287143102841830424, 0.27232086470466385065, 0], rel=1e-12)
    assert EXPONENTIAL.exact_x[:3] == pytest.approx([8.6971174701310497140, 7.6971174701310497140, 6.9410336293772123602], rel=1e-14)
    assert EXPONENTIAL.exact_x[255:] == pytest.approx([0.063852163815003480173, 0], rel=1e-12)


@pytest.mark.parametrize("layers", [NORMAL, EXPONENTIAL])
def test_layers_have_equal_areas_up_to_height_one(layers: object) -> None:
    x, y = layers.exact_x, layers.y
    assert np.diff(y) * x[:-1] == pytest.approx(np.full(len(x) - 1, y[1] * x[0]), rel=1e-4)
    assert y[-1] == 1


def one_by_one(raw: np.ndarray, stream: Mt19937) -> list[float]:
    """Values of `normal` until all of ``raw`` is used; the last one may go on with ``stream``."""
    left = raw.tolist()[::-1]
    values = []
    while left:
        values.append(normal(lambda: left.pop() if left else stream.draw()))
    return values


def check_block(raw: np.ndarray) -> None:
    """`normals` gives what `normal` gives and draws no more for it."""
    slow_stream, fast_stream = Mt19937(1), Mt19937(1)
    slow, fast = one_by_one(raw, slow_stream), normals(raw, fast_stream.draw).tolist()
    if len(fast) < len(slow):  # the block's last draws were rejected: only `normal` goes on to a value
        fast.append(normal(fast_stream.draw))
    assert np.array_equal(np.array(fast, np.float32), np.array(slow, np.float32))
    assert fast_stream.state() == slow_stream.state()


def test_block_equals_one_by_one() -> None:
    check_block(Mt19937(1701).raw(30_000))


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 40),
    st.sampled_from([0, 0xF0000000, 0xFF000000, 0xFFFFFF00]),
    st.sampled_from([0xFF, 0x03, 0x01]),
)
def test_block_equals_one_by_one_where_edges_and_tails_crowd(seed: int, n: int, high: int, layers: int) -> None:
    raw = Mt19937(seed).raw(n)
    check_block(((raw | np.uint32(high)) & np.uint32(0xFFFFFF00)) | (raw & np.uint32(layers)))


def test_normal_values_have_the_moments_of_the_distribution() -> None:
    n = 400_000
    stream = Mt19937(3)
    values = normals(stream.raw(n), stream.draw).astype(np.float64)
    assert len(values) > 0.95 * n
    assert abs(values.mean()) < 0.01
    assert values.std() == pytest.approx(1, abs=0.01)
    assert (values**4).mean() == pytest.approx(3, abs=0.1)
    for edge in (0.5, 1.0, 2.0, 3.0, 3.6):  # the last one lies in the tail
        expected = len(values) * math.erfc(edge / math.sqrt(2))
        assert np.count_nonzero(np.abs(values) > edge) == pytest.approx(expected, abs=5 * math.sqrt(expected))


def test_exponential_values_have_the_moments_of_the_distribution() -> None:
    stream = Mt19937(4)
    values = np.array([exponential(stream.draw) for _ in range(20_000)])
    assert values.mean() == pytest.approx(1, abs=0.04)
    assert values.var() == pytest.approx(1, abs=0.1)
    assert (values > 3).mean() == pytest.approx(math.exp(-3), abs=0.008)
    # the tail of the ziggurat: layer 0, outside, then again from there
    draws = iter([0xFFFFFF00, 0x80000080])
    assert exponential(lambda: next(draws)) > EXPONENTIAL.exact_x[1]


def test_uniform_01_draws_again_rather_than_be_one() -> None:
    draws = iter([0xFFFFFFFF, 0xFFFFFF80, 0xFFFFFF7F])
    assert uniform_01(lambda: next(draws)) == 1 - 2.0**-24
