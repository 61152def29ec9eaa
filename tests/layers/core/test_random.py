"""CaffeRandom against values of Boost 1.74, built with FMA, and against itself resumed."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pytest

from caffepy.layers.core.random import CaffeRandom

N = 100_000
"""All the recorded sums are of this many values of seed 1701."""


@pytest.mark.parametrize(
    ("mean", "std", "first", "crc"),
    [
        (0, 1, [-0.10926592, -1.6719402, -0.20477624, -0.5271481, -1.2934644, 0.5729043, 0.89811367, 0.59381616], 0xB32FC8D2),
        (0.5, 0.2, [0.47814682, 0.16561195, 0.45904475, 0.39457038, 0.24130711, 0.61458087, 0.6796227, 0.6187632], 0xA5971CF2),
    ],
)
def test_gaussian_is_boosts(mean: float, std: float, first: list[float], crc: int) -> None:
    random = CaffeRandom(1701)
    values = random.gaussian(N, mean, std)
    assert values.dtype == np.float32
    assert values.shape == (N,)
    assert np.array_equal(values[:8], np.array(first, np.float32))
    assert zlib.crc32(values.astype("<f4").tobytes()) == crc
    assert random.draw() == 3733391838


@pytest.mark.parametrize(
    ("a", "b", "first", "crc"),
    [
        (0, 1, [0.08943324, 0.51873916, 0.1153777, 0.8066802, 0.518744, 0.5318703, 0.48061886, 0.7646518], 0xBAC130D4),
        (-0.2, 0.3, [-0.15528338, 0.05936958, -0.14231116, 0.20334008, 0.059371993, 0.06593515, 0.04030943, 0.18232587], 0x3D173561),
    ],
)
def test_uniform_is_boosts(a: float, b: float, first: list[float], crc: int) -> None:
    random = CaffeRandom(1701)
    values = random.uniform(N, a, b)
    assert values.dtype == np.float32
    assert np.array_equal(values[:8], np.array(first, np.float32))
    assert zlib.crc32(values.astype("<f4").tobytes()) == crc
    assert random.draw() == 3929777388


@pytest.mark.parametrize(("p", "first", "crc"), [(0.3, [1, 0, 1, 0, 0, 0, 0, 0], 0x95E2CDFC), (0.5, [1, 0, 1, 0, 0, 0, 1, 0], 0x5E5EB8B7)])
def test_bernoulli_is_boosts(p: float, first: list[int], crc: int) -> None:
    random = CaffeRandom(1701)
    values = random.bernoulli(N, p)
    assert values.dtype == np.uint8
    assert values[:8].tolist() == first
    assert zlib.crc32(values.tobytes()) == crc
    assert random.draw() == 3929777388


def test_bernoulli_one_draws_and_zero_does_not() -> None:
    random, raw = CaffeRandom(7), CaffeRandom(7).raw(11)
    assert not random.bernoulli(10, 0).any()
    assert random.bernoulli(10, 1).all()
    assert random.draw() == raw[10]


@pytest.mark.parametrize("kind", ["gaussian", "uniform", "bernoulli", "raw"])
def test_pieces_equal_the_whole(kind: str) -> None:
    """No value, and no draw, is kept or lost between calls of any size, across blocks."""

    def take(random: CaffeRandom, n: int) -> np.ndarray:
        calls = {
            "gaussian": lambda: random.gaussian(n, 1, 2),
            "uniform": lambda: random.uniform(n, -1, 3),
            "bernoulli": lambda: random.bernoulli(n, 0.4),
            "raw": lambda: random.raw(n),
        }
        return calls[kind]()

    whole, pieces = CaffeRandom(5), CaffeRandom(5)
    sizes = [0, 1, 2, 1, 700, 40_000, 3, 33_000]
    expected = take(whole, sum(sizes))
    assert np.array_equal(np.concatenate([take(pieces, n) for n in sizes]), expected)
    assert pieces.state() == whole.state()


def test_state_resumes_any_sequence() -> None:
    def sequence(random: CaffeRandom) -> list[float]:
        parts = [random.gaussian(999, 0, 1), random.uniform(10, 0, 1), random.bernoulli(77, 0.5), random.gaussian(1, 0, 1)]
        return [*np.concatenate(parts).tolist(), random.draw()]

    random = CaffeRandom(1)
    random.gaussian(12345, 0, 1)
    state = json.loads(json.dumps(random.state()))
    expected = sequence(random)
    resumed = CaffeRandom(2)
    resumed.restore(state)
    assert sequence(resumed) == expected


def test_out_is_filled_and_returned() -> None:
    out = np.zeros(50_000, np.float32)
    assert CaffeRandom(3).gaussian(len(out), 0, 1, out=out) is out
    assert np.array_equal(out, CaffeRandom(3).gaussian(len(out), 0, 1))
    assert CaffeRandom(3).uniform(len(out), 0, 1, out=out) is out
    assert np.array_equal(out, CaffeRandom(3).uniform(len(out), 0, 1))


def test_uniform_reaches_no_further_than_its_ends() -> None:
    values = CaffeRandom(9).uniform(N, 5, 5.000001)  # three floats
    assert set(values.tolist()) == {float(np.float32(v)) for v in (5, 5.0000005, 5.000001)}
    assert set(CaffeRandom(9).uniform(1000, 2, 2).tolist()) == {2}
    wide = CaffeRandom(9).uniform(N, -3e38, 3e38)
    assert np.isfinite(wide).all()
    assert wide.max() > 2.9e38
    assert wide.min() < -2.9e38


@pytest.mark.parametrize(("a", "b"), [(1, 0), (float("nan"), 1), (0, float("nan")), (float("-inf"), 0), (float("inf"), float("inf"))])
def test_uniform_refuses_bounds_that_no_draw_fits(a: float, b: float) -> None:
    with pytest.raises(ValueError, match="needed"):
        CaffeRandom(0).uniform(3, a, b)


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_bernoulli_refuses_what_is_no_probability(p: float) -> None:
    with pytest.raises(ValueError, match="needed: 0 to 1"):
        CaffeRandom(0).bernoulli(3, p)


def test_seeds() -> None:
    assert np.array_equal(CaffeRandom(-1).raw(5), CaffeRandom(2**32 - 1).raw(5))
    assert not np.array_equal(CaffeRandom(None).raw(5), CaffeRandom(None).raw(5))
