"""The matching of priors to objects, and the choice of hard examples."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from google.protobuf import text_format
from torch import Tensor

from caffepy.layers.common.boxes import overlaps
from caffepy.layers.common.multibox_matching import NOTHING, confidence_losses, location_losses, match, mine
from caffepy.proto import caffe_pb2

pytestmark = pytest.mark.usefixtures("looked_at")
BOXES = torch.tensor([[0, 0, 0.4, 0.4], [0, 0, 0.4, 0.5], [0.5, 0.5, 0.9, 0.9], [0.6, 0.6, 1.1, 1.1]])
OBJECTS = torch.tensor([[0, 0, 0.4, 0.42], [0.5, 0.5, 0.8, 0.8]])


def param(text: str = "") -> Any:
    return text_format.Parse(text, caffe_pb2.MultiBoxLossParameter())


def matched(objects: Tensor, boxes: Tensor, text: str = "") -> list[int]:
    common = overlaps(boxes, objects[:, None])
    found, most = match(common, torch.zeros(len(objects), dtype=torch.int64), 1, param(text))
    assert torch.equal(most[0], torch.where(common > 1e-6, common, 0).amax(0))
    return found[0].tolist()


def test_each_object_gets_its_best_box_and_free_boxes_their_best_object() -> None:
    assert matched(OBJECTS, BOXES, "match_type: BIPARTITE") == [0, NOTHING, 1, NOTHING]
    assert matched(OBJECTS, BOXES, "overlap_threshold: 0.8") == [0, 0, 1, NOTHING]
    assert matched(OBJECTS, BOXES, "overlap_threshold: 0.1") == [0, 0, 1, 1]


def test_an_object_gets_a_box_however_small_the_overlap_is() -> None:
    assert matched(torch.tensor([[0.39, 0.39, 0.45, 0.45]]), BOXES) == [NOTHING, 0, NOTHING, NOTHING]


def test_the_largest_overlap_is_served_first() -> None:
    both = torch.tensor([[0, 0, 0.4, 0.35], [0, 0, 0.4, 0.4]])
    assert matched(both, BOXES[:2], "match_type: BIPARTITE") == [1, 0]


def plain(common: Tensor, group: Tensor, groups: int, p: Any) -> list[list[int]]:
    """As it is defined: the largest overlap of what is free, first by box and then by object; then each free box its best object."""
    every = []
    for one in range(groups):
        mine, boxes = [int(g) for g in (group == one).nonzero()[:, 0]], range(common.shape[1])
        found, unserved = [NOTHING for _ in boxes], set(mine)
        while pairs := [(b, g) for b in boxes for g in sorted(unserved) if found[b] == NOTHING and common[g, b] > 1e-6]:
            box, served = max(pairs, key=lambda pair: float(common[pair[1], pair[0]]))
            found[box] = served
            unserved.remove(served)
        for box in boxes if p.match_type == 1 else ():
            best = max(mine, key=lambda g: float(common[g, box]), default=None)
            if found[box] == NOTHING and best is not None and common[best, box] >= max(p.overlap_threshold, 1e-5):
                found[box] = best
        every.append(found)
    return every


@pytest.mark.parametrize("text", ["match_type: BIPARTITE", "overlap_threshold: 0.5", "overlap_threshold: 0"])
def test_any_overlaps(text: str) -> None:
    """Few values, so that many are equal; groups without objects; objects without boxes, more objects than boxes."""
    generator = torch.Generator().manual_seed(1)
    for objects, boxes in ((1, 1), (5, 3), (9, 6), (12, 20)):
        for _ in range(5):
            common = torch.randint(0, 5, (objects, boxes), generator=generator) / 4
            common[-1] = 0
            group = torch.randint(0, 3, (objects,), generator=generator)
            assert match(common, group, 3, param(text))[0].tolist() == plain(common, group, 3, param(text))


FOUND, OVERLAP = torch.tensor([[0, NOTHING, NOTHING, NOTHING, NOTHING]]), torch.tensor([[0.9, 0.1, 0.1, 0.8, 0.2]])
LOSSES = torch.tensor([[0.5, 1, 3, 9, 2]])
APART = torch.arange(5.0)[None, :, None] * 2 + torch.tensor([0.0, 0, 1, 1])
ALL = torch.ones(1, 5, dtype=torch.bool)


def mined(text: str, losses: Tensor = LOSSES, among: Tensor = ALL, boxes: Tensor | None = None) -> list[int]:
    chosen = mine(FOUND, OVERLAP, losses, param(text), among=among, boxes=boxes)
    return [int(i) for i in chosen[0].nonzero()[:, 0]]


def test_the_worst_negatives_are_chosen_in_proportion_to_the_positives() -> None:
    assert mined("neg_pos_ratio: 2") == [2, 4]
    assert mined("neg_pos_ratio: 2 neg_overlap: 0.15") == [1, 2]
    assert mined("neg_pos_ratio: -1") == []
    assert mined("neg_pos_ratio: 9") == [1, 2, 4]
    assert mined("neg_pos_ratio: 2", among=torch.tensor([[True, True, False, True, True]])) == [1, 4]


def test_of_equal_losses_the_first_are_chosen_and_what_is_no_number_last() -> None:
    same = torch.tensor([[9.0, 1, 1, 1, 1]])
    assert mined("neg_pos_ratio: 2 neg_overlap: 1", same) == [1, 2]
    assert mined("neg_pos_ratio: 3 neg_overlap: 1", torch.tensor([[9, 1, 1, math.nan, 2]])) == [1, 2, 4]
    assert mined("neg_pos_ratio: 4 neg_overlap: 1", torch.tensor([[9, 1, 1, math.nan, 2]])) == [1, 2, 3, 4]
    assert mined("neg_pos_ratio: 1 neg_overlap: 1", torch.tensor([[9, 1, math.inf, math.nan, 2]])) == [2]


def test_hard_examples_may_be_positives_too() -> None:
    assert mined("mining_type: HARD_EXAMPLE sample_size: 2") == [2, 3]
    assert mined("mining_type: HARD_EXAMPLE sample_size: 2", LOSSES + torch.tensor([99.0, 0, 0, 0, 0])) == [0, 3]
    assert mined("mining_type: HARD_EXAMPLE sample_size: 2", among=~ALL) == []


@pytest.mark.parametrize(("top_k", "chosen"), [("top_k: 10", [0, 1, 3, 4]), ("", [])])
def test_negatives_suppress_one_another(top_k: str, chosen: list[int]) -> None:
    """nms_param without top_k keeps none, as in SSD."""
    boxes = APART.clone()
    boxes[0, 2] = boxes[0, 3]
    text = f"mining_type: HARD_EXAMPLE sample_size: 4 nms_param {{ nms_threshold: 0.5 {top_k} }}"
    assert mined(text, boxes=boxes) == chosen


def test_small_boxes_are_no_examples_where_boxes_suppress_one_another() -> None:
    boxes = APART.clone()
    boxes[0, 3, 2:] = boxes[0, 3, :2] + 0.003
    assert mined("neg_pos_ratio: 2 nms_param { nms_threshold: 0.5 top_k: 10 } neg_overlap: 0.9", boxes=boxes) == [2, 4]


def test_losses() -> None:
    scores = torch.tensor([[0.0, 0, 0], [1000, 0, 0]])
    assert confidence_losses(scores, torch.tensor([1, 0]), logistic=False).tolist() == pytest.approx([math.log(3), 0])
    least = torch.finfo(torch.float32).tiny
    assert confidence_losses(scores, torch.tensor([1, 1]), logistic=False)[1].item() == pytest.approx(-math.log(least))
    assert confidence_losses(scores, torch.tensor([1, 0]), logistic=True).tolist() == pytest.approx([3 * math.log(2), 2 * math.log(2)])
    assert location_losses(torch.tensor([[0.5, 3, 0, 0]]), smooth=True).tolist() == [0.125 + 2.5]
    assert location_losses(torch.tensor([[0.5, 3, 0, 0]]), smooth=False).tolist() == [0.125 + 4.5]
