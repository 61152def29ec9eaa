"""Splines through images: exact on what they reproduce, and the same as SciPy's and scikit-image's where these are installed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from caffepy.errors import CaffeError
from caffepy.pycaffe import resample

SIZES = [((5, 7), (10, 14)), ((12, 10), (6, 6)), ((7, 3), (1, 2)), ((1, 5), (4, 4)), ((6, 6), (6, 3))]


def image(size: tuple[int, int], channels: int = 3) -> np.ndarray:
    found = np.random.default_rng(2).random((*size, channels)).astype(np.float32)
    return (found - found.min()) / (found.max() - found.min())


@pytest.mark.parametrize("order", resample.ORDERS)
def test_points_stay_where_the_size_does(order: int) -> None:
    for function in (resample.resize, resample.zoom):
        np.testing.assert_allclose(function(image((9, 8)), (9, 8), order), image((9, 8)), atol=1e-6)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_a_slope_stays_one(order: int) -> None:
    slope = np.linspace(0, 1, 41, dtype=np.float32)[:, None, None] * np.ones((1, 3, 1), np.float32)
    found = resample.zoom(slope, (61, 3), order)
    inner = slice(15, -15)
    np.testing.assert_allclose(found[inner, 1, 0], np.linspace(0, 1, 61)[inner], atol=1e-3)


def test_what_lies_outside_is_black() -> None:
    white = np.ones((4, 4, 1), np.float32)
    found = resample.resize(white, (8, 8), 1)[:, :, 0]
    np.testing.assert_allclose(found[3:5, 3:5], 1)
    assert found[0, 0] == pytest.approx(0.75**2)


def test_the_nearest_of_two_that_are_equally_near() -> None:
    """As SciPy's rounding decides it: the middle of 49 places lies between the second and the third of 4 points."""
    row = np.arange(4, dtype=np.float32)[None, :, None] / 3
    assert resample.resize(row, (1, 49), 0)[0, 24, 0] * 3 == pytest.approx(1)


def test_smoothing_before_shrinking() -> None:
    """A fine pattern does not survive as a coarse one."""
    stripes = np.tile(np.array([0, 1], np.float32), 32)[None, :, None] * np.ones((64, 1, 1), np.float32)
    inner = resample.resize(stripes, (16, 16), 1)[4:12, 4:12]
    assert np.ptp(inner) < 0.2
    assert inner.mean() == pytest.approx(0.5, abs=0.02)


def test_unknown_orders() -> None:
    with pytest.raises(CaffeError, match="order 6; needed: 0 to 5"):
        resample.resize(image((4, 4)), (5, 5), 6)


def test_as_scipy() -> None:
    ndimage = pytest.importorskip("scipy.ndimage", reason="SciPy is not needed to run; it is what this is compared with")
    for (old, new), order in itertools.product(SIZES, resample.ORDERS):
        expected = ndimage.zoom(image(old, 5), (new[0] / old[0], new[1] / old[1], 1), order=order)
        np.testing.assert_allclose(resample.zoom(image(old, 5), new, order), expected, atol=2e-6)


WHOLE = np.array([[[0, 255, 3], [7, 250, 1], [255, 0, 0]], [[9, 9, 200], [100, 3, 20], [30, 200, 255]]])


def test_a_last_row_that_rounding_puts_outside() -> None:
    """It is 0, as SciPy leaves it; for most sizes there is none."""
    assert 42 * (27 / 42) > 27
    found = resample.zoom(np.ones((28, 3, 2), np.float32), (43, 3), 1)
    assert (found[:-1] == 1).all()
    assert (found[-1] == 0).all()


def test_whole_numbers_stay_whole() -> None:
    """On the way up a spline swings beyond 0 to 255; what unsigned numbers cannot hold they do not."""
    row = np.array([0, 255, 255, 0, 1], np.uint8)[None, :, None]
    assert resample.zoom(row, (1, 9), 1).ravel().tolist() == [0, 128, 255, 255, 255, 128, 0, 1, 1]
    assert resample.zoom(row, (1, 9), 3).max() == 255
    assert resample.zoom(-row.astype(np.int32), (1, 9), 1).ravel().tolist() == [0, -128, -255, -255, -255, -128, 0, -1, -1]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.int64])
def test_whole_numbers_as_scipy(dtype: type) -> None:
    ndimage = pytest.importorskip("scipy.ndimage", reason="SciPy is not needed to run; it is what this is compared with")
    for size, order in itertools.product([(3, 5), (7, 4), (2, 3)], (1, 2, 3)):
        expected = ndimage.zoom(WHOLE.astype(dtype), (size[0] / 2, size[1] / 3, 1), order=order)
        found = resample.zoom(WHOLE.astype(dtype), size, order)
        assert found.dtype == expected.dtype
        # what lies just between two whole numbers is rounded either way behind the longer sums of higher orders
        np.testing.assert_allclose(found, expected, rtol=0, atol=0 if order == 1 else 1)


def test_as_scikit_image() -> None:
    transform = pytest.importorskip("skimage.transform", reason="scikit-image is not needed to run; it is what this is compared with")
    for (old, new), order in itertools.product(SIZES, resample.ORDERS):
        expected = transform.resize(image(old), new, order=order, mode="constant")
        np.testing.assert_allclose(np.clip(resample.resize(image(old), new, order), 0, 1), expected, atol=2e-6)
