"""Resizing images as scikit-image and SciPy do, which Caffe's module uses.

Along each axis an image is multiplied by a matrix that interpolates.

What lies outside an image counts as 0. scikit-image of Caffe's years (up to 0.14, 2018) read the
pixels around each place, however far apart the places were; later ones smooth an image before they
make it smaller.
"""

# n input, m output positions along an axis; H W input, h w output, C channels

from __future__ import annotations

from functools import lru_cache
from math import comb, factorial
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.pycaffe.errors import WrongValue

Floats = npt.NDArray[np.floating]
Places = npt.NDArray[np.integer]

PAD = 12
"""Zeros beside the image that the splines see."""
SMOOTHING_REACH = 4
"""Standard deviations at which the smoothing kernel ends."""
ORDERS = range(6)


def resize(image: Floats, size: tuple[int, int], order: int, *, smooth: bool = False) -> Floats:
    """(H, W, C) as (h, w, C), as by scikit-image's ``resize``.

    Pixels are areas, so that the corners of both images coincide.

    ``smooth``: as scikit-image of 2019 and later.
    """
    matrix = _smooth_matrix if smooth else _plain_matrix
    return _apply(image, [matrix(n, m, order) for n, m in zip(image.shape, size)], np.float32)


def zoom(image: npt.NDArray[Any], size: tuple[int, int], order: int) -> npt.NDArray[Any]:
    """(H, W, C) as (h, w, C), as by SciPy's ``zoom``.

    Pixels are points, and the outermost ones coincide. Nothing is smoothed.

    As in SciPy, a last row or column is 0 where rounding puts it behind the image's; and an image
    of whole numbers stays one, rounded, and kept in its range if it is unsigned.
    """
    values: Floats = image.astype(np.float64)
    if order > 1:
        values = _apply(values, [_coefficients(n, order) for n in image.shape[:2]], np.float64)
    rows, row_weights = _points(image.shape[0], size[0], order)
    columns, column_weights = _points(image.shape[1], size[1], order)
    zoomed = np.zeros((*size, image.shape[2]))
    for row, y in zip(rows, row_weights):
        for column, x in zip(columns, column_weights):
            # in the order in which SciPy rounds
            zoomed += values[row][:, column] * y[:, None, None] * x[:, None]
    if image.dtype.kind in "iu":
        zoomed = np.trunc(zoomed + np.copysign(0.5, zoomed))
    if image.dtype.kind == "u":
        zoomed = np.clip(zoomed, 0, np.iinfo(image.dtype).max)
    return zoomed.astype(image.dtype)


def _apply(image: npt.NDArray[Any], matrices: list[Floats], dtype: type[np.floating]) -> Floats:
    rows, columns = [matrix.astype(dtype) for matrix in matrices]
    high = np.tensordot(rows, image.astype(dtype, copy=False), 1)  # (h, W, C)
    resized: Floats = np.matmul(columns, high)  # (h, w, C)
    return resized


@lru_cache(maxsize=32)
def _plain_matrix(n: int, m: int, order: int) -> Floats:
    """(m, n), as in scikit-image up to 0.14.

    Order 3 is a Catmull-Rom spline. Higher and even orders are 0 beyond the outermost points.
    """
    _check(order)
    if order < 2:
        return _spline_matrix(n, m, order)
    places = _places(n, m)
    if order == 3:
        distance = np.abs(np.subtract.outer(places, np.arange(n)))
        inner = (1.5 * distance - 2.5) * distance**2 + 1
        outer = ((-0.5 * distance + 2.5) * distance - 4) * distance + 2
        return np.where(distance < 1, inner, np.where(distance < 2, outer, 0))
    matrix = _matrix(*_taps(places, n, order), n) @ _coefficients(n, order)
    return np.where(((places >= 0) & (places <= n - 1))[:, None], matrix, 0)


@lru_cache(maxsize=32)
def _smooth_matrix(n: int, m: int, order: int) -> Floats:
    """(m, n): smoothing by a Gaussian of half the excess of n over m, then interpolation."""
    matrix = _spline_matrix(n, m, order)
    deviation = (n / m - 1) / 2
    if deviation <= 0:
        return matrix
    reach = int(SMOOTHING_REACH * deviation + 0.5)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    kernel /= kernel.sum()
    distance = np.subtract.outer(np.arange(n), np.arange(n)) + reach
    smoothing = np.where(
        (distance >= 0) & (distance <= 2 * reach), kernel[np.clip(distance, 0, 2 * reach)], 0
    )
    smoothed: Floats = matrix @ smoothing
    return smoothed


@lru_cache(maxsize=32)
def _spline_matrix(n: int, m: int, order: int) -> Floats:
    """(m, n): the values of the spline through n areas at m."""
    _check(order)
    length = n + 2 * PAD
    matrix = _matrix(*_taps(_places(n, m), length, order, pad=PAD), length)
    if order > 1:
        matrix = matrix @ _coefficients(length, order)
    return matrix[:, PAD : PAD + n]


def _places(n: int, m: int) -> Floats:
    """Where the middles of m areas lie among those of n."""
    return (np.arange(m) + 0.5) * (n / m) - 0.5


@lru_cache(maxsize=32)
def _coefficients(n: int, order: int) -> Floats:
    """(n, n): from the values at n points to the coefficients of the spline through them."""
    values = _matrix(*_taps(np.arange(n, dtype=float), n, order), n)
    coefficients: Floats = np.linalg.inv(values)
    return coefficients


def _points(n: int, m: int, order: int) -> tuple[Places, Floats]:
    """The taps of m points among n."""
    _check(order)
    positions = np.arange(m) * ((n - 1) / max(m - 1, 1))
    at, weights = _taps(np.minimum(positions, n - 1), n, order)
    return at, np.where(positions > n - 1, 0, weights)


def _check(order: int) -> None:
    if order not in ORDERS:
        raise WrongValue(
            f"interpolation order {order}; needed: {ORDERS.start} to {ORDERS.stop - 1}"
        )


def _taps(positions: Floats, length: int, order: int, *, pad: int = 0) -> tuple[Places, Floats]:
    """Numbers and weights of the coefficients that count at each position.

    Both are (order + 1, positions). Coefficients beyond the ends are those mirrored there.

    ``pad``: so many coefficients stand before that at position 0.
    """
    first = np.floor(positions + 0.5 if order % 2 == 0 else positions).astype(int) - order // 2
    at = first + np.arange(order + 1)[:, None]
    last = length - 1
    mirrored = np.clip(last - np.abs(last - np.abs(at + pad)), 0, last)
    if order == 1:
        near = 1 - (positions - first)
        return mirrored, np.stack([near, 1 - near])
    return mirrored, _basis(positions - at, order)


def _matrix(at: Places, weights: Floats, length: int) -> Floats:
    """Taps as (positions, length)."""
    matrix = np.zeros((at.shape[1], length))
    np.add.at(matrix, (np.arange(at.shape[1]), at), weights)
    return matrix


def _basis(distance: Floats, order: int) -> Floats:
    """The B-spline of this order around 0."""
    if order == 0:
        return np.ones_like(distance)
    spline: Floats = np.zeros_like(distance)
    for k in range(order + 2):
        beyond = np.maximum(distance + (order + 1) / 2 - k, 0)
        spline += (-1) ** k * comb(order + 1, k) * beyond**order
    return spline / factorial(order)
