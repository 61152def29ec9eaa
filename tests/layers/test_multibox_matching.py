"""The matching of priors to objects, and the choice of hard examples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format

from caffepy.layers.multibox_matching import NOTHING, OUTSIDE, Match, Objects, confidence_losses, location_losses, match, mine
from caffepy.proto import caffe_pb2

BOXES = np.array([[0, 0, 0.4, 0.4], [0, 0, 0.4, 0.5], [0.5, 0.5, 0.9, 0.9], [0.6, 0.6, 1.1, 1.1]], np.float32)


def objects(labels: list[int], *boxes: list[float]) -> Objects:
    return Objects(np.array(labels), np.array(boxes, np.float32), np.array(labels))


OBJECTS = objects([1, 2], [0, 0, 0.4, 0.42], [0.5, 0.5, 0.8, 0.8])


def param(text: str = "") -> Any:
    return text_format.Parse(text, caffe_pb2.MultiBoxLossParameter())


def test_each_object_gets_its_best_box_and_free_boxes_their_best_object() -> None:
    assert match(OBJECTS, BOXES, param("match_type: BIPARTITE")).object.tolist() == [0, NOTHING, 1, NOTHING]
    assert match(OBJECTS, BOXES, param("overlap_threshold: 0.8")).object.tolist() == [0, 0, 1, NOTHING]
    assert match(OBJECTS, BOXES, param("overlap_threshold: 0.1")).object.tolist() == [0, 0, 1, 1]


def test_an_object_gets_a_box_however_small_the_overlap_is() -> None:
    far = objects([1], [0.39, 0.39, 0.45, 0.45])
    assert match(far, BOXES, param()).object.tolist() == [NOTHING, 0, NOTHING, NOTHING]


def test_the_largest_overlap_is_served_first() -> None:
    both = objects([1, 2], [0, 0, 0.4, 0.35], [0, 0, 0.4, 0.4])
    assert match(both, BOXES[:2], param("match_type: BIPARTITE")).object.tolist() == [1, 0]


def test_boxes_outside_of_the_picture_may_be_left_out() -> None:
    assert match(OBJECTS, BOXES, param("ignore_cross_boundary_bbox: true overlap_threshold: 0.1")).object[3] == OUTSIDE


def test_one_label_only() -> None:
    assert match(OBJECTS, BOXES, param(), label=2).object.tolist() == [NOTHING, NOTHING, 1, NOTHING]
    assert match(OBJECTS, BOXES, param(), label=7).object.tolist() == [NOTHING] * 4


def found() -> Match:
    return Match(np.array([0, NOTHING, NOTHING, NOTHING, NOTHING]), np.array([0.9, 0.1, 0.1, 0.8, 0.2], np.float32))


LOSSES = np.array([0.5, 1, 3, 9, 2], np.float32)
APART = np.arange(5, dtype=np.float32)[:, None] * 2 + np.array([0, 0, 1, 1], np.float32)


def test_the_worst_negatives_are_chosen_in_proportion_to_the_positives() -> None:
    one = found()
    mine(one, LOSSES, APART, param("neg_pos_ratio: 2"))
    assert one.negatives.tolist() == [2, 4]
    mine(one, LOSSES, APART, param("neg_pos_ratio: 2 neg_overlap: 0.15"))
    assert one.negatives.tolist() == [1, 2]
    mine(one, LOSSES, APART, param("neg_pos_ratio: -1"))
    assert one.negatives.tolist() == []


def test_hard_examples_may_be_positives_too() -> None:
    one = found()
    mine(one, LOSSES, APART, param("mining_type: HARD_EXAMPLE sample_size: 2"))
    assert one.object.tolist() == [NOTHING] * 5
    assert one.negatives.tolist() == [2, 3]
    one = found()
    mine(one, LOSSES + np.array([99, 0, 0, 0, 0], np.float32), APART, param("mining_type: HARD_EXAMPLE sample_size: 2"))
    assert one.object.tolist() == [0, *[NOTHING] * 4]
    assert one.negatives.tolist() == [3]


@pytest.mark.parametrize(("top_k", "negatives"), [("top_k: 10", [1, 3, 4]), ("", [])])
def test_negatives_suppress_one_another(top_k: str, negatives: list[int]) -> None:
    """nms_param without top_k keeps none, as in SSD."""
    one, boxes = found(), APART.copy()
    boxes[2] = boxes[3]
    mine(one, LOSSES, boxes, param(f"mining_type: HARD_EXAMPLE sample_size: 4 nms_param {{ nms_threshold: 0.5 {top_k} }}"))
    assert one.negatives.tolist() == negatives


def test_small_boxes_are_no_examples_where_boxes_suppress_one_another() -> None:
    one, boxes = found(), APART.copy()
    boxes[3, 2:] = boxes[3, :2] + 0.003
    mine(one, LOSSES, boxes, param("neg_pos_ratio: 2 nms_param { nms_threshold: 0.5 top_k: 10 } neg_overlap: 0.9"))
    assert one.negatives.tolist() == [2, 4]


def test_losses() -> None:
    scores = np.array([[0, 0, 0], [1000, 0, 0]], np.float32)
    assert confidence_losses(scores, np.array([1, 0]), logistic=False).tolist() == pytest.approx([np.log(3), 0])
    assert confidence_losses(scores, np.array([1, 1]), logistic=False)[1] == pytest.approx(-np.log(np.finfo(np.float32).tiny))
    assert confidence_losses(scores, np.array([1, 0]), logistic=True).tolist() == pytest.approx([3 * np.log(2), 2 * np.log(2)])
    assert location_losses(np.array([[0.5, 3, 0, 0]], np.float32), smooth=True).tolist() == [0.125 + 2.5]
    assert location_losses(np.array([[0.5, 3, 0, 0]], np.float32), smooth=False).tolist() == [0.125 + 4.5]
