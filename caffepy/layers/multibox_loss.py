"""The loss of SSD."""

# N batch, P priors, C classes, L classes of locations (1 if shared), M matched priors, K rows of scores that learn

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers import multibox_matching as matching
from caffepy.layers.base import Run, Shape, between
from caffepy.layers.boxes import Floats, Indices, class_count, decode, encode, on_host, priors_and_variances
from caffepy.layers.detection_output import check_first_stage, check_predictions
from caffepy.layers.loss import LossLayer, normalization_mode, normalizer
from caffepy.layers.multibox_matching import MULTIBOX, NO_MINING, Match, Objects
from caffepy.layers.registry import register_layer
from caffepy.layers.smooth_l1_loss import smooth_l1
from caffepy.layers.softmax_loss import softmax_loss

SMOOTH_L1, LOGISTIC = MULTIBOX.LocLossType.Value("SMOOTH_L1"), MULTIBOX.ConfLossType.Value("LOGISTIC")


@register_layer("MultiBoxLoss")
class MultiBoxLossLayer(LossLayer):
    """Loss of the boxes that are matched to objects, and of the scores of these and of hard negatives.  Caffe type ``MultiBoxLoss``.

    Bottom: offsets (N, 4 * P * L) float; scores (N, P * C); priors (1, 2, 4 * P), as PriorBox makes them; objects (1, 1, G, 8): item,
            label, instance, xmin, ymin, xmax, ymax, difficult; item -1: no object. Gradients go to the first two.
            [4] RefineDet's first stage: scores (N, P * 2); only where that of an object is objectness_score or more is a negative learnt
            [5] its offsets (N, P * 4), by which the priors are moved before they are matched and learn
    Top:    () float; (loc_weight * location loss + confidence loss) by the normaliser: the number of matches (VALID), N * P (FULL), N
            (BATCH_SIZE) or 1 (NONE), at least 1. A part whose propagate_down is false is left out.
    Params: none
    Proto:  multibox_loss_param { loc_loss_type, conf_loss_type, loc_weight, num_classes, share_location, match_type, overlap_threshold,
            use_prior_for_matching, background_label_id, use_difficult_gt, neg_pos_ratio, neg_overlap, code_type, encode_variance_in_target,
            map_object_to_agnostic, ignore_cross_boundary_bbox, bp_inside, mining_type | do_neg_mining, nms_param, sample_size,
            use_prior_for_nms, objectness_score (with 2 classes: RefineDet's first stage, in which objects of all labels are one class) },
            loss_param { normalization | normalize }
    Differs from torch: no counterpart. Matching and mining are done on the host. As in SSD, variances encoded in the target do not
            scale the gradient, LOGISTIC without mining misplaces the targets of all pictures but the first, and LOGISTIC takes
            background_label_id for the target of what is not there. As in RefineDet, hard examples are chosen by the offsets to the
            priors as they were.
    Source: SSD, multibox_loss_layer; Liu et al. 2016. RefineDet's, with bottoms 4 and 5; Zhang et al. 2018
    """

    fork_fields = frozenset({"LayerParameter.multibox_loss_param", "MultiBoxLossParameter.objectness_score"})
    bottoms = between(4, 6)
    no_gradient = (2, 3)
    no_force_backward = (2, 3, 4, 5)
    on_host = True

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Read the fields."""
        p = self.param.multibox_loss_param
        if p.HasField("do_neg_mining") and not p.HasField("mining_type"):
            p.mining_type = matching.MAX_NEGATIVE if p.do_neg_mining else NO_MINING
        self.classes = class_count(self, p)
        self._check()
        if len(bottoms) > 4 and p.mining_type != NO_MINING and p.HasField("nms_param") and p.nms_param.nms_threshold > 0:
            raise self.fail("nms_param is given beside scores of a first stage, bottom 4; needed: one of the two, they do not go together")
        self.location_classes = 1 if p.share_location else self.classes
        self.mode = normalization_mode(self.param.loss_param)
        down = list(self.param.propagate_down) or [True, True]
        self.parts = (down[0], down[1])

    def _check(self) -> None:
        p, background = self.param.multibox_loss_param, int(self.param.multibox_loss_param.background_label_id)
        if p.mining_type != NO_MINING and not p.share_location:
            raise self.fail("share_location is false with mining; needed: share_location, or mining_type NONE")
        if p.HasField("do_neg_mining") and p.do_neg_mining != (p.mining_type != NO_MINING):
            raise self.fail("do_neg_mining and mining_type contradict one another; needed: mining_type alone")
        if p.mining_type == matching.HARD_EXAMPLE and p.sample_size < 1:
            raise self.fail(f"sample_size is {p.sample_size}; needed: at least 1, the examples of each picture")
        if p.conf_loss_type != LOGISTIC and background >= p.num_classes:
            raise self.fail(f"background_label_id is {background}; needed: 0 to {p.num_classes - 1} for SOFTMAX")
        if p.map_object_to_agnostic and not background + 1 < p.num_classes:
            raise self.fail(f"map_object_to_agnostic needs class {background + 1}, behind the background, of num_classes {p.num_classes}")

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """0 axes."""
        self.priors = check_predictions(self, bottoms, self.classes, self.location_classes)
        objects = bottoms[3]
        if len(objects) != 4 or objects[:2] != (1, 1) or objects[3] != 8:
            raise self.fail(f"bottom 3 is {objects}; needed: (1, 1, objects, 8)")
        check_first_stage(self, bottoms, 4, priors=self.priors, shared=self.param.multibox_loss_param.share_location)
        return ((),)

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """Match and mine without gradient, then gather what learns."""
        p, n = self.param.multibox_loss_param, len(bottoms[0])
        offsets = bottoms[0].reshape(n, self.priors, self.location_classes, 4)
        scores = bottoms[1].reshape(n, self.priors, self.classes)
        rows = on_host(bottoms[3]).reshape(-1, 8)
        objects = matching.objects_of(self, rows, n, p)
        stage = [on_host(bottom).reshape(n, self.priors, -1) for bottom in bottoms[4:]]
        batch = _Batch(p, objects, on_host(offsets), on_host(scores), *priors_and_variances(bottoms[2]), stage)
        matches = batch.matches()
        batch.mine(matches)
        loss = offsets[:0].sum() + scores[:0].sum()
        if self.parts[0]:
            loss = loss + p.loc_weight * _location_loss(offsets, batch, matches)
        if self.parts[1]:
            loss = loss + _confidence_loss(scores, batch, matches)
        count = matching.matched(matches)
        valid = torch.ones(count, dtype=torch.bool, device=loss.device)
        return (loss / normalizer(self.mode, outer=n, inner=self.priors, valid=valid, run=run),)


class _Batch:
    """What matching looks at, as arrays: offsets (N, P, L, 4), scores (N, P, C), priors and variances (P, 4); ``stage``: scores (N, P, 2)
    and offsets (N, P, 4) of a first stage, if there are any.  ``anchors`` (N, P, 4): the priors as that has moved them."""

    def __init__(
        self,
        p: Any,
        objects: Sequence[Objects],
        offsets: Floats,
        scores: Floats,
        priors: Floats,
        variances: Floats,
        stage: Sequence[Floats],
    ) -> None:
        self.p, self.objects, self.offsets, self.scores, self.priors, self.variances = p, objects, offsets, scores, priors, variances
        self.likely = stage[0][..., 1] >= np.float32(p.objectness_score) if stage else [None] * len(objects)
        self.anchors = [priors] * len(objects)
        if len(stage) > 1:
            self.anchors = list(decode(stage[1], priors, variances, p.code_type, in_target=p.encode_variance_in_target))
        self.labels = [None] if p.share_location else [c for c in range(p.num_classes) if c != p.background_label_id]

    def predicted(self, picture: int, slot: int, anchors: Floats) -> Floats:
        """Boxes (P, 4) that the offsets to ``anchors`` (P, 4) stand for."""
        offsets = self.offsets[picture, :, slot]
        return decode(offsets, anchors, self.variances, self.p.code_type, in_target=self.p.encode_variance_in_target)

    def matches(self) -> list[list[Match]]:
        """For each picture, for the shared location or each class but the background, the matched priors; none without objects."""
        return [[self._match(i, label) for label in self.labels] if len(own.labels) else [] for i, own in enumerate(self.objects)]

    def _match(self, picture: int, label: int | None) -> Match:
        own = self.objects[picture]
        if not self.p.use_prior_for_matching:
            return matching.match(own, self.predicted(picture, label or 0, self.priors), self.p, label=label)
        found = matching.match(own, self.anchors[picture], self.p)
        if label is not None:
            others = found.positives[own.labels[found.object[found.positives]] != label]
            found.object[others] = matching.NOTHING
        return found

    def mine(self, matches: Sequence[Sequence[Match]]) -> None:
        """Choose negatives, or hard examples of both kinds, by the losses as they are."""
        p = self.p
        if p.mining_type == NO_MINING:
            return
        for picture, (own, found) in enumerate(zip(self.objects, matches)):
            for one in found:
                labels = matching.labels_of(one, own, p.background_label_id)
                losses = matching.confidence_losses(self.scores[picture], labels, logistic=p.conf_loss_type == LOGISTIC)
                if p.mining_type == matching.HARD_EXAMPLE:
                    wanted, given = self.targets(picture, one, 0, self.priors)
                    losses[one.positives] += matching.location_losses(given - wanted, smooth=p.loc_loss_type == SMOOTH_L1)
                boxes = self.priors if p.use_prior_for_nms else self.predicted(picture, 0, self.priors)
                matching.mine(one, losses, boxes, p, likely=self.likely[picture])

    def targets(self, picture: int, one: Match, slot: int, anchors: Floats) -> tuple[Floats, Floats]:
        """For each matched prior what its offsets to ``anchors`` (P, 4) should be and what they are, (M, 4) each."""
        p, own, at = self.p, self.objects[picture], one.positives
        wanted = encode(own.boxes[one.object[at]], anchors[at], self.variances[at], p.code_type, in_target=p.encode_variance_in_target)
        given: Floats = np.where(self.outside(picture, one, slot, anchors), wanted, self.offsets[picture, at, slot])
        if p.encode_variance_in_target:
            return wanted / self.variances[at], given / self.variances[at]
        return wanted, given

    def outside(self, picture: int, one: Match, slot: int, anchors: Floats) -> npt.NDArray[np.bool_]:
        """With bp_inside, which edges (M, 4) of the matched boxes lie outside of the picture and learn nothing."""
        if not self.p.bp_inside:
            return np.zeros((len(one.positives), 4), bool)
        boxes = (anchors if self.p.use_prior_for_matching else self.predicted(picture, slot, anchors))[one.positives]
        return (boxes < 0) | (boxes > 1)


def _location_loss(offsets: Tensor, batch: _Batch, matches: Sequence[Sequence[Match]]) -> Tensor:
    """Sum over the matched priors of the loss of their offsets."""
    p = batch.p
    slots = [label or 0 for label in batch.labels]
    located = [(picture, slot, one) for picture, found in enumerate(matches) for slot, one in zip(slots, found)]
    if not located:
        return offsets.new_zeros(())
    places = np.concatenate([_rows(picture, one.positives, slot) for picture, slot, one in located])
    asked = [(picture, one, slot, batch.anchors[picture]) for picture, slot, one in located]
    wanted = _tensor(np.concatenate([batch.targets(*each)[0] for each in asked]), offsets).to(offsets.dtype)
    outside = _tensor(np.concatenate([batch.outside(*each) for each in asked]), offsets)
    found = offsets[_tensor(places[:, 0], offsets), _tensor(places[:, 1], offsets), _tensor(places[:, 2], offsets)]
    if p.encode_variance_in_target:
        # The gradient goes to the offsets as they are, as in SSD.
        found = found + (found / _tensor(batch.variances[places[:, 1]], offsets) - found).detach()
    difference = (found - wanted).masked_fill(outside, 0)
    return smooth_l1(difference).sum() if p.loc_loss_type == SMOOTH_L1 else difference.square().sum() / 2


def _confidence_loss(scores: Tensor, batch: _Batch, matches: Sequence[Sequence[Match]]) -> Tensor:
    """Sum over the positives and negatives, or with mining NONE over all priors, of the loss of their scores."""
    p, background = batch.p, int(batch.p.background_label_id)
    places = [_taught(batch, picture, found) for picture, found in enumerate(matches)]  # rows (picture, prior, label)
    positives = np.concatenate([*places, _EMPTY])
    if p.mining_type != NO_MINING:
        negatives = [_rows(picture, one.negatives, background) for picture, found in enumerate(matches) for one in found]
        chosen = np.concatenate([positives, *negatives])
        rows = scores[_tensor(chosen[:, 0], scores), _tensor(chosen[:, 1], scores)]
        labels = chosen[:, 2]
        flat = (np.arange(len(chosen)) * p.num_classes + labels)[labels < p.num_classes]
    else:
        rows = scores.flatten(0, 1)
        labels = np.full(len(rows), background)
        labels[positives[:, 0] * len(batch.priors) + positives[:, 1]] = positives[:, 2]
        # SSD's second picture begins P elements on, not P * C: its targets are misplaced, and so are these.
        flat = positives[:, 0] * len(batch.priors) + positives[:, 1] * p.num_classes + positives[:, 2]
    if p.conf_loss_type != LOGISTIC:
        return softmax_loss(rows, _tensor(labels, scores))
    # As in SSD: its buffer of targets is filled with the background's label, whatever they are targets of.
    targets = torch.full_like(rows, background).flatten()
    targets[_tensor(flat, scores)] = 1
    return F.binary_cross_entropy_with_logits(rows, targets.view_as(rows), reduction="sum")


_EMPTY = np.empty((0, 3), np.int64)


def _rows(picture: int, priors: Indices, labels: Indices | int) -> Indices:
    return np.stack((np.full(len(priors), picture), priors, np.broadcast_to(labels, len(priors))), 1)


def _taught(batch: _Batch, picture: int, found: Sequence[Match]) -> Indices:
    """(picture, prior, label) of each matched prior."""
    own = batch.objects[picture]
    rows = [_rows(picture, one.positives, own.classes[one.object[one.positives]]) for one in found]
    return np.concatenate([*rows, _EMPTY])


def _tensor(array: npt.NDArray[Any], like: Tensor) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array)).to(like.device)
