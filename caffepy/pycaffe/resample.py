"""Resizing images as scikit-image and SciPy do, which Caffe's module used: spline interpolation, one matrix for each axis.

An image is smoothed before it is made smaller, and what lies outside it counts as 0.
"""

# n input, m output positions along an axis; H W input, h w output, C channels

from __future__ import annotations

from functools import lru_cache
from math import comb, factorial

import numpy as np
import numpy.typing as npt

from caffepy.pycaffe.errors import WrongValue

Floats = npt.NDArray[np.floating]

PAD = 12
"""Zeros beside the image that the splines see."""
SMOOTHING_REACH = 4
"""Standard deviations at which the smoothing kernel ends."""
ORDERS = range(6)


def resize(image: Floats, size: tuple[int, int], order: int) -> Floats:
    """(H, W, C) as (h, w, C); pixels are areas, so that the corners of both images coincide (scikit-image's ``resize``)."""
    return _apply(image, [_smooth_matrix(n, m, order) for n, m in zip(image.shape, size)])


def zoom(image: Floats, size: tuple[int, int], order: int) -> Floats:
    """(H, W, C) as (h, w, C); pixels are points, and the outermost ones coincide (SciPy's ``zoom``). Nothing is smoothed."""
    return _apply(image, [_spline_matrix(n, m, order, areas=False) for n, m in zip(image.shape, size)])


def _apply(image: Floats, matrices: list[Floats]) -> Floats:
    rows, columns = (matrix.astype(np.float32) for matrix in matrices)
    high = np.tensordot(rows, image.astype(np.float32, copy=False), 1)  # (h, W, C)
    found: Floats = np.matmul(columns, high)  # (h, w, C)
    return found


@lru_cache(maxsize=32)
def _smooth_matrix(n: int, m: int, order: int) -> Floats:
    """(m, n): smoothing by a Gaussian of half the excess of n over m, then interpolation."""
    matrix = _spline_matrix(n, m, order, areas=True)
    deviation = (n / m - 1) / 2
    if deviation <= 0:
        return matrix
    reach = int(SMOOTHING_REACH * deviation + 0.5)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    kernel /= kernel.sum()
    distance = np.subtract.outer(np.arange(n), np.arange(n)) + reach
    smoothing = np.where((distance >= 0) & (distance <= 2 * reach), kernel[np.clip(distance, 0, 2 * reach)], 0)
    found: Floats = matrix @ smoothing
    return found


@lru_cache(maxsize=32)
def _spline_matrix(n: int, m: int, order: int, *, areas: bool) -> Floats:
    """(m, n): the values of the spline through n points at m positions."""
    if order not in ORDERS:
        raise WrongValue(f"interpolation order {order}; needed: {ORDERS.start} to {ORDERS.stop - 1}")
    if areas:
        positions = (np.arange(m) + 0.5) * n / m - 0.5
    else:
        positions = np.minimum(np.arange(m) * ((n - 1) / max(m - 1, 1)), n - 1)
    pad = PAD if areas else 0
    length = n + 2 * pad
    matrix = _taps(positions + pad, length, order)
    if order > 1:
        matrix = matrix @ np.linalg.inv(_taps(np.arange(length, dtype=float), length, order))
    return matrix[:, pad : pad + n]


def _taps(positions: Floats, length: int, order: int) -> Floats:
    """(positions, length): the weight of each of ``length`` coefficients at each position, those beyond the ends mirrored."""
    weights = np.zeros((len(positions), length))
    first = np.floor(positions + 0.5 if order % 2 == 0 else positions).astype(int) - order // 2
    rows, last = np.arange(len(positions)), length - 1
    for tap in range(order + 1):
        at = first + tap
        mirrored = last - np.abs(last - np.abs(at)) if last else np.zeros_like(at)
        np.add.at(weights, (rows, np.clip(mirrored, 0, last)), _basis(positions - at, order))
    return weights


def _basis(distance: Floats, order: int) -> Floats:
    """The B-spline of this order around 0."""
    if order == 0:
        return np.ones_like(distance)
    found: Floats = np.zeros_like(distance)
    for k in range(order + 2):
        found += (-1) ** k * comb(order + 1, k) * np.maximum(distance + (order + 1) / 2 - k, 0) ** order
    return found / factorial(order)
