"""Boxes on the host."""

from __future__ import annotations

import numpy as np
import pytest

from caffepy.layers.boxes import CENTER_SIZE, CORNER, CORNER_SIZE, areas, decode, encode, in_pixels, overlaps, suppress
from caffepy.proto import caffe_pb2

PRIORS = np.array([[0.1, 0.2, 0.5, 0.6], [0.3, 0.3, 0.9, 0.7]], np.float32)
VARIANCES = np.array([[0.1, 0.1, 0.2, 0.2], [0.3, 0.3, 0.3, 0.3]], np.float32)


@pytest.mark.parametrize("in_target", [True, False])
@pytest.mark.parametrize("code", [CORNER, CENTER_SIZE, CORNER_SIZE])
def test_decoding_undoes_encoding(code: int, in_target: bool) -> None:
    boxes = np.array([[0.2, 0.1, 0.4, 0.9], [0.0, 0.5, 1.0, 0.8]], np.float32)
    offsets = encode(boxes, PRIORS, VARIANCES, code, in_target=in_target)
    np.testing.assert_allclose(decode(offsets, PRIORS, VARIANCES, code, in_target=in_target), boxes, atol=1e-6)


def test_offsets_of_0_are_the_priors() -> None:
    for code in (CORNER, CENTER_SIZE, CORNER_SIZE):
        np.testing.assert_allclose(decode(np.zeros_like(PRIORS), PRIORS, VARIANCES, code, in_target=False), PRIORS, atol=1e-7)


def test_overlaps() -> None:
    a = np.array([0, 0, 2, 2], np.float32)
    others = np.array([[0, 0, 2, 2], [1, 1, 3, 3], [2, 0, 3, 2], [5, 5, 6, 6], [1, 1, 0, 0]], np.float32)
    assert overlaps(a, others).tolist() == pytest.approx([1, 1 / 7, 0, 0, 0])
    assert overlaps(a, others, extra=1).tolist() == pytest.approx([1, 4 / 14, 3 / (9 + 6 - 3), 1 / (9 + 4 - 1), 0], abs=1e-6)


def nms(threshold: float, eta: float = 1, top_k: int = -1) -> list[int]:
    boxes = np.array([[0, 0, 10, 10], [0, 0, 10, 9], [0, 0, 10, 6], [20, 0, 30, 10]], np.float32)
    scores = np.array([0.5, 0.9, 0.7, 0.1], np.float32)
    p = caffe_pb2.NonMaximumSuppressionParameter(nms_threshold=threshold, eta=eta)
    return suppress(boxes, scores, p, top_k=top_k).tolist()


def test_suppression() -> None:
    assert nms(0.8) == [1, 2, 3]
    assert nms(0.5) == [1, 3]
    assert nms(1) == [1, 2, 0, 3]
    assert nms(1, top_k=2) == [1, 2]
    assert nms(0.5, top_k=0) == []


def test_eta_lowers_the_threshold_while_it_is_above_a_half() -> None:
    assert nms(0.95) == [1, 2, 0, 3]
    assert nms(0.95, eta=0.8) == [1, 2, 3]


def test_equal_scores_keep_their_order() -> None:
    boxes = np.array([[0, 0, 1, 1], [5, 5, 6, 6]] * 2, np.float32)
    assert suppress(boxes, np.ones(4, np.float32), caffe_pb2.NonMaximumSuppressionParameter(nms_threshold=0.5), top_k=-1).tolist() == [0, 1]


def test_pixels() -> None:
    box = np.array([[-0.5, 0.25, 0.5, 2]], np.float32)
    assert in_pixels(box, 20, 40).tolist() == [[0, 5, 20, 20]]
    small = caffe_pb2.ResizeParameter(resize_mode="FIT_SMALL_SIZE", height_scale=10, width_scale=100)
    assert in_pixels(box, 20, 40, small).tolist() == [[0, 2.5, 40, 20]]
    padded = caffe_pb2.ResizeParameter(resize_mode="FIT_LARGE_SIZE_AND_PAD", height=100, width=100)
    # a picture twice as wide as high lies in the middle half of the square
    assert in_pixels(np.array([[0.25, 0.25, 0.5, 0.75]], np.float32), 20, 40, padded).tolist() == [[10, 0, 20, 20]]
    # and one that lies beside it is not moved
    assert in_pixels(np.array([[0.25, 0, 0.5, 0.25]], np.float32), 20, 40, padded).tolist() == [[10, 0, 20, 5]]


def test_overlaps_of_boxes_of_a_net_that_has_diverged() -> None:
    """Nothing is said of them."""
    box = np.array([0, 0, np.inf, np.inf], np.float32)
    assert overlaps(box, box).shape == ()
    assert overlaps(np.full(4, np.nan, np.float32), box) == 0
    assert np.isnan(areas(np.array([np.inf, 0, np.inf, np.inf], np.float32)))
    assert np.isnan(areas(np.array([0, 0, 0, np.inf], np.float32)))
