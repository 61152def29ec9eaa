"""Boxes."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from caffepy.layers.common import boxes as boxes_module
from caffepy.layers.common.boxes import CENTER_SIZE, CORNER, CORNER_SIZE, areas, decode, encode, in_pixels, overlaps, suppress
from caffepy.proto import caffe_pb2

PRIORS = torch.tensor([[0.1, 0.2, 0.5, 0.6], [0.3, 0.3, 0.9, 0.7]])
VARIANCES = torch.tensor([[0.1, 0.1, 0.2, 0.2], [0.3, 0.3, 0.3, 0.3]])


@pytest.mark.parametrize("in_target", [True, False])
@pytest.mark.parametrize("code", [CORNER, CENTER_SIZE, CORNER_SIZE])
def test_decoding_undoes_encoding(code: int, in_target: bool) -> None:
    boxes = torch.tensor([[0.2, 0.1, 0.4, 0.9], [0.0, 0.5, 1.0, 0.8]])
    offsets = encode(boxes, PRIORS, VARIANCES, code, in_target=in_target)
    torch.testing.assert_close(decode(offsets, PRIORS, VARIANCES, code, in_target=in_target), boxes, rtol=0, atol=1e-6)


def test_offsets_of_0_are_the_priors() -> None:
    for code in (CORNER, CENTER_SIZE, CORNER_SIZE):
        torch.testing.assert_close(decode(torch.zeros_like(PRIORS), PRIORS, VARIANCES, code, in_target=False), PRIORS, rtol=0, atol=1e-7)


def test_overlaps() -> None:
    a = torch.tensor([0.0, 0, 2, 2])
    others = torch.tensor([[0.0, 0, 2, 2], [1, 1, 3, 3], [2, 0, 3, 2], [5, 5, 6, 6], [1, 1, 0, 0]])
    assert overlaps(a, others).tolist() == pytest.approx([1, 1 / 7, 0, 0, 0])
    assert overlaps(a, others, extra=1).tolist() == pytest.approx([1, 4 / 14, 3 / (9 + 6 - 3), 1 / (9 + 4 - 1), 0], abs=1e-6)


def nms(threshold: float, eta: float = 1, top_k: int = -1) -> list[int]:
    boxes = torch.tensor([[0.0, 0, 10, 10], [0, 0, 10, 9], [0, 0, 10, 6], [20, 0, 30, 10]])
    scores = torch.tensor([0.5, 0.9, 0.7, 0.1])
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
    boxes = torch.tensor([[0.0, 0, 1, 1], [5, 5, 6, 6]] * 2)
    assert suppress(boxes, torch.ones(4), caffe_pb2.NonMaximumSuppressionParameter(nms_threshold=0.5), top_k=-1).tolist() == [0, 1]


@pytest.mark.parametrize("most", [None, 7])
@pytest.mark.parametrize("eta", [1.0, 0.9])
def test_suppression_block_by_block(eta: float, most: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left is the same however many boxes are compared at once."""
    generator = torch.Generator().manual_seed(3)
    boxes = torch.randint(0, 6, (60, 2, 2), generator=generator).float().sort(1).values.flatten(1)
    wanted, threshold = list[int](), 0.6
    for i in range(60):
        if all(overlaps(boxes[i], boxes[j]) <= threshold for j in wanted) and len(wanted) != most:
            wanted.append(i)
            threshold *= eta if eta < 1 and threshold > 0.5 else 1
    for block in (1, 7, 64):
        monkeypatch.setattr(boxes_module, "BLOCK", block)
        assert boxes_module.unsuppressed(boxes, overlaps, 0.6, eta=eta, most=most).tolist() == wanted


@pytest.mark.parametrize("kind", ["any", "a chain"])
def test_suppression_of_many_lists_together(kind: str) -> None:
    """In a chain each box overlaps only its neighbours, so that every other one is left, and the last is settled last."""
    if kind == "any":
        boxes = torch.randint(0, 6, (4, 50, 2, 2), generator=torch.Generator().manual_seed(4)).float().sort(2).values.flatten(2)
    else:
        boxes = (torch.arange(50.0).view(1, 50, 1) + torch.tensor([0.0, 0, 1.9, 60])).expand(4, 50, 4)
    good = torch.rand(4, 50, generator=torch.Generator().manual_seed(5)) < torch.tensor([1, 0.8, 0.5, 0]).view(4, 1)
    over = overlaps(boxes.unsqueeze(2), boxes.unsqueeze(1)) > 0.3
    kept, numbers = boxes_module.unsuppressed_together(over, good, lambda kept: kept.sum(1))
    for own, counted, found, number in zip(boxes, good, kept, numbers):
        places = counted.nonzero()[:, 0]
        wanted = places[boxes_module.unsuppressed(own[places], overlaps, 0.3)].tolist()
        assert found.nonzero()[:, 0].tolist() == wanted
        assert number == len(wanted)


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
    box = torch.tensor([0, 0, math.inf, math.inf])
    assert overlaps(box, box).shape == ()
    assert overlaps(torch.full((4,), math.nan), box) == 0
    assert torch.isnan(areas(torch.tensor([math.inf, 0, math.inf, math.inf])))
    assert torch.isnan(areas(torch.tensor([0, 0, 0, math.inf])))
