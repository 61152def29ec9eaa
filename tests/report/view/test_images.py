"""Filters and feature maps as pictures."""

from __future__ import annotations

import base64

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from caffepy.report.view.images import GAP_GRAY, Mosaic, filters, maps, scaled, smaller


def pixels(found: Mosaic) -> npt.NDArray[np.uint8]:
    content = base64.b64decode(found.address.removeprefix("data:image/png;base64,"))
    image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_UNCHANGED)
    return np.asarray(image, np.uint8)


def test_filters_share_a_scale() -> None:
    weights = np.zeros((5, 3, 2, 4), np.float32)
    weights[0, 0, 0, 0], weights[4, 2, 1, 3] = -1, 3
    found = filters(weights, 256)
    image = pixels(found)
    assert (found.columns, found.rows, found.shown) == (2, 3, 5)
    assert image.shape == (3 * 3, 2 * 5, 3)
    assert image[0, 0].tolist() == [0, 64, 64]  # blue is the first channel, as in Caffe
    assert image[7, 3].tolist() == [64, 64, 255]
    assert image[2, 0].tolist() == [GAP_GRAY] * 3


def test_maps_have_a_scale_each() -> None:
    values = np.stack([np.arange(4), np.arange(4) * 100, np.full(4, 7)]).reshape(3, 2, 2).astype(np.float32)
    image = pixels(maps(values, 2, 32))
    assert image.shape == (3, 6)
    assert image[:2, :2].tolist() == image[:2, 3:5].tolist() == [[0, 85], [170, 255]]


def test_large_maps_are_averaged() -> None:
    plane = np.zeros((64, 16), np.float32)
    plane[::2] = 2
    small = smaller(plane, 32)
    assert small.shape == (32, 8)
    assert np.all(small == 1)
    assert smaller(plane, 64) is plane


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number(value: float) -> None:
    values = np.array([[0, value], [1, 1]], np.float32)
    assert scaled(values, 0, 1).tolist() == [[0, 255 if value == np.inf else 0], [255, 255]]
    assert scaled(np.full((2, 2), value, np.float32), 0, 0).tolist() == [[0, 0], [0, 0]]
