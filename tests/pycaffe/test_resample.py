"""Splines through images: exact on what they reproduce, and the same as SciPy's and scikit-image's where these are installed."""

from __future__ import annotations

import itertools

import caffe
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
    inner = resample.resize(stripes, (16, 16), 1, smooth=True)[4:12, 4:12]
    assert np.ptp(inner) < 0.2
    assert inner.mean() == pytest.approx(0.5, abs=0.02)


NUMBERS = np.array([[0, 5, 9, 2], [7, 1, 3, 8], [4, 6, 0, 10]], np.float32)[:, :, None]
EARLY = [
    [[0, 9, 2], [4, 0, 10]],
    [[2.125, 5.75, 4.1667], [4.75, 2.75, 8.0417]],
    [[0.9207, 7.4125, 2.8784], [4.5583, 1.9125, 9.4260]],
    [[1.8842, 6.9595, 4.1738], [5.4343, 2.2837, 9.7855]],
    [[0.9666, 7.7885, 2.9098], [4.7124, 1.3877, 9.4351]],
    [[0.9725, 7.8589, 2.9143], [4.7468, 1.2823, 9.4379]],
]
"""What Caffe's resize_image makes of NUMBERS for (2, 3) beside scikit-image's resize up to 0.14, by order."""


def test_numbers_of_scikit_image_before_it_smoothed() -> None:
    for order, expected in enumerate(EARLY):
        np.testing.assert_allclose(caffe.io.resize_image(NUMBERS, (2, 3), order)[:, :, 0], expected, atol=1e-4)
    larger = caffe.io.resize_image(NUMBERS, (4, 5), 3)[:, :, 0]
    np.testing.assert_allclose(larger[0], [0, 3.1671, 7.4072, 7.0538, 1.1631], atol=1e-4)
    np.testing.assert_allclose(larger[2], [6.3857, 4.0148, 1.3614, 3.8146, 9.2837], atol=1e-4)
    even = caffe.io.resize_image(NUMBERS, (4, 5), 2)[:, :, 0]
    np.testing.assert_allclose(even, [[0] * 5, [0, 2.4222, 3.6094, 5.9965, 0], [0, 3.9937, 0.6094, 3.5451, 0], [0] * 5], atol=1e-4)


def test_images_are_not_smoothed_but_on_request() -> None:
    """A single bright pixel between the places that are read is not seen, unless it is spread before."""
    dot = np.zeros((16, 16, 3), np.uint8)
    dot[4, 4] = 200
    assert not caffe.io.resize_image(dot, (4, 4)).any()
    assert caffe.io.resize_image(dot, (4, 4), anti_aliasing=True).max() > 2
    transformer = caffe.io.Transformer({"data": (1, 3, 4, 4)})
    assert not transformer.preprocess("data", dot).any()


def test_unknown_orders() -> None:
    for smooth in (False, True):
        with pytest.raises(CaffeError, match="order 6; needed: 0 to 5"):
            resample.resize(image((4, 4)), (5, 5), 6, smooth=smooth)


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
        np.testing.assert_allclose(np.clip(resample.resize(image(old), new, order, smooth=True), 0, 1), expected, atol=2e-6)
