"""A batch of SSD's loss: which priors learn, and which class of locations they belong to."""

from __future__ import annotations

import torch

from caffepy.layers.common.multibox_batch import MatchedPriors, MultiBoxBatch
from caffepy.layers.common.multibox_matching import MULTIBOX, NOTHING, OUTSIDE, Objects


def batch(*, share_location: bool, stage: tuple[torch.Tensor, ...] = ()) -> MultiBoxBatch:
    """One picture with an object of class 2, three classes and two priors."""
    p = MULTIBOX(num_classes=3, share_location=share_location, background_label_id=0)
    one = torch.ones(1, dtype=torch.int64)
    box = torch.tensor([[0.0, 0.0, 0.5, 0.5]])
    objects = Objects(one * 0, one * 2, box, one * 2, one > 0)
    priors = torch.tensor([[0.0, 0.0, 0.5, 0.5], [0.5, 0.5, 1.0, 1.0]])
    classes = 1 if share_location else 3
    offsets = torch.zeros(1, 2, classes, 4)
    return MultiBoxBatch(p, objects, offsets, torch.zeros(1, 2, 3), priors, torch.full_like(priors, 0.1), stage)


def test_matched_priors_name_picture_location_prior_and_object() -> None:
    matched = torch.tensor([[[NOTHING, 4]], [[1, OUTSIDE]]])
    priors = MatchedPriors.of(matched)
    assert [each.tolist() for each in (priors.picture, priors.location, priors.prior, priors.object)] == [
        [0, 1],
        [0, 0],
        [1, 0],
        [4, 1],
    ]
    assert priors.learns.all()


def test_locations_of_classes_leave_the_background_out() -> None:
    assert batch(share_location=False).slot(torch.arange(2)).tolist() == [1, 2]
    assert batch(share_location=True).slot(torch.arange(1)).tolist() == [0]


def test_the_prior_on_an_object_is_matched_and_learns_its_class() -> None:
    shared = batch(share_location=True)
    matched, most = shared.matches()
    assert matched.tolist() == [[[0, NOTHING]]]
    torch.testing.assert_close(most, torch.tensor([[[1.0, 0.0]]]))
    assert shared.labels(matched[:, 0]).tolist() == [[2, 0]]


def test_a_first_stage_says_where_objects_are_likely() -> None:
    scores = torch.tensor([[[0.9, 0.1], [0.2, 0.8]]])
    staged = batch(share_location=True, stage=(scores, torch.zeros(1, 2, 4)))
    assert staged.likely is not None
    assert staged.likely.tolist() == [[True, True]]  # objectness_score is 0.01 by default
