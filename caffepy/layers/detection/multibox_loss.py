"""The loss of SSD."""

# N batch, P priors, C classes, L classes of locations (1 if shared), K of these without the
# background, M places: on the CPU those that learn; on a GPU all, and a mask tells which learn

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common import multibox_matching as matching
from caffepy.layers.common.boxes import (
    class_count,
    decode,
    encode,
    overlaps,
    present,
    priors_and_variances,
)
from caffepy.layers.common.cross_entropy import softmax_loss
from caffepy.layers.common.loss import LossLayer, normalization_mode, normalizer
from caffepy.layers.common.multibox_matching import MULTIBOX, NO_MINING, NOTHING, OUTSIDE, Objects
from caffepy.layers.common.smooth_l1 import smooth_l1
from caffepy.layers.core.base import Run, Shape, between
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches, Gradients
from caffepy.layers.detection.detection_output import check_first_stage, check_predictions
from caffepy.proto import caffe_pb2

SMOOTH_L1 = MULTIBOX.SMOOTH_L1
LOGISTIC = MULTIBOX.LOGISTIC


@register_layer("MultiBoxLoss")
class MultiBoxLossLayer(LossLayer):
    """Loss of matched boxes, and of their scores and hard negatives'.  Caffe type ``MultiBoxLoss``.

    Bottom: offsets (N, 4 * P * L) float; scores (N, P * C); priors (1, 2, 4 * P), as PriorBox makes
            them; objects (1, 1, G, 8): item, label, instance, xmin, ymin, xmax, ymax, difficult;
            item -1: no object. Gradients go to the first two.
            [4] RefineDet's first stage: scores (N, P * 2); only where that of an object is
            objectness_score or more is a negative learnt
            [5] its offsets (N, P * 4), by which the priors are moved before they are matched and
            learn
    Top:    () float; (loc_weight * location loss + confidence loss) by the normaliser: the number
            of matches (VALID), N * P (FULL), N (BATCH_SIZE) or 1 (NONE), at least 1. A part whose
            propagate_down is false is left out.
    Params: none
    Proto:  multibox_loss_param { loc_loss_type, conf_loss_type, loc_weight, num_classes,
            share_location, match_type, overlap_threshold, use_prior_for_matching,
            background_label_id, use_difficult_gt, neg_pos_ratio, neg_overlap, code_type,
            encode_variance_in_target, map_object_to_agnostic, ignore_cross_boundary_bbox,
            bp_inside, mining_type | do_neg_mining, nms_param, sample_size, use_prior_for_nms,
            objectness_score (with 2 classes: RefineDet's first stage, in which objects of all
            labels are one class) }, loss_param { normalization | normalize }
    Differs from torch: no counterpart. Boxes that suppress one another (nms_param) do so on the
            host. As in SSD, variances encoded in the target do not scale the gradient, LOGISTIC
            without mining misplaces the targets of all pictures but the first, and LOGISTIC takes
            background_label_id for the target of what is not there. As in RefineDet, hard examples
            are chosen by the offsets to the priors as they were.
    Source: SSD, multibox_loss_layer; Liu et al. 2016. RefineDet's, with bottoms 4 and 5; Zhang et
            al. 2018
    """

    fork_fields = frozenset(
        {"LayerParameter.multibox_loss_param", "MultiBoxLossParameter.objectness_score"}
    )
    bottoms = between(4, 6)
    gradients = Gradients(refused=(2, 3), unforced=(2, 3, 4, 5))
    batches = Batches(padding_rows=(3,))

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.multibox_loss_param
        if p.HasField("do_neg_mining") and not p.HasField("mining_type"):
            p.mining_type = matching.MAX_NEGATIVE if p.do_neg_mining else NO_MINING
        self.classes = class_count(self, p)
        self._check()
        suppresses = bool(
            p.mining_type != NO_MINING and p.HasField("nms_param") and p.nms_param.nms_threshold > 0
        )
        # hard examples suppress one another on the host
        self.device = replace(self.device, on_host=suppresses)
        if len(bottoms) > 4 and suppresses:
            raise self.fail(
                "nms_param is given beside scores of a first stage, bottom 4;"
                " needed: one of the two, they do not go together"
            )
        self.location_classes = 1 if p.share_location else self.classes
        self.mode = normalization_mode(self.param.loss_param)
        down = list(self.param.propagate_down) or [True, True]
        self.parts = (down[0], down[1])

    def _check(self) -> None:
        p = self.param.multibox_loss_param
        background = int(self.param.multibox_loss_param.background_label_id)
        if p.mining_type != NO_MINING and not p.share_location:
            raise self.fail(
                "share_location is false with mining; needed: share_location, or mining_type NONE"
            )
        if p.HasField("do_neg_mining") and p.do_neg_mining != (p.mining_type != NO_MINING):
            raise self.fail(
                "do_neg_mining and mining_type contradict one another; needed: mining_type alone"
            )
        for name in ("neg_pos_ratio", "neg_overlap", "overlap_threshold"):
            if not math.isfinite(getattr(p, name)):
                raise self.fail(f"{name} is {getattr(p, name):g}; needed: a finite number")
        if p.mining_type == matching.HARD_EXAMPLE and p.sample_size < 1:
            raise self.fail(
                f"sample_size is {p.sample_size}; needed: at least 1, the examples of each picture"
            )
        if p.conf_loss_type != LOGISTIC and background >= p.num_classes:
            raise self.fail(
                f"background_label_id is {background}; needed: 0 to {p.num_classes - 1} for SOFTMAX"
            )
        if p.map_object_to_agnostic and not background + 1 < p.num_classes:
            raise self.fail(
                f"map_object_to_agnostic needs class {background + 1}, behind the background,"
                f" of num_classes {p.num_classes}"
            )

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        self.priors = check_predictions(self, bottoms, self.classes, self.location_classes)
        objects = bottoms[3]
        if len(objects) != 4 or objects[:2] != (1, 1) or objects[3] != 8:
            raise self.fail(f"bottom 3 is {objects}; needed: (1, 1, objects, 8)")
        check_first_stage(
            self,
            bottoms,
            4,
            priors=self.priors,
            shared=self.param.multibox_loss_param.share_location,
        )
        return ((),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Match and mine without gradient, then compute with what learns."""
        p = self.param.multibox_loss_param
        n = len(bottoms[0])
        offsets = bottoms[0].reshape(n, self.priors, self.location_classes, 4)
        scores = bottoms[1].reshape(n, self.priors, self.classes)
        objects = matching.objects_of(self, bottoms[3].detach().float().reshape(-1, 8), n, p, run)
        stage = [bottom.detach().float().reshape(n, self.priors, -1) for bottom in bottoms[4:]]
        batch = _Batch(
            p,
            objects,
            offsets.detach().float(),
            scores.detach().float(),
            *priors_and_variances(bottoms[2]),
            stage,
        )
        found, chosen = batch.mined(*batch.matches(), apart=self.device.on_host)
        loss = (
            p.loc_weight * _location_loss(offsets, batch, found)
            if self.parts[0]
            else offsets[:0].sum()
        )
        loss = loss + (
            _confidence_loss(scores, batch, found, chosen) if self.parts[1] else scores[:0].sum()
        )
        return (
            loss / normalizer(self.mode, outer=n, inner=self.priors, valid=found >= 0, run=run),
        )


@dataclass(frozen=True)
class _Places:
    """Matched priors (M,): picture, which of K locations, prior, object, and whether it counts."""

    picture: Tensor
    location: Tensor
    prior: Tensor
    object: Tensor
    learns: Tensor

    @staticmethod
    def of(found: Tensor) -> _Places:
        """From the indices (N, K, P) of objects."""
        flat = found.flatten()
        at = present(flat >= 0)
        place = at // found.shape[2]
        own = flat[at]
        return _Places(
            place // found.shape[1],
            place % found.shape[1],
            at % found.shape[2],
            own.clamp(min=0),
            own >= 0,
        )


class _Batch:
    """What matching looks at: offsets (N, P, L, 4), scores (N, P, C), priors and variances (P, 4).

    ``stage``: scores (N, P, 2) and offsets (N, P, 4) of a first stage, if there is one. ``anchors``
    (1 or N, P, 4): the priors as that has moved them.
    """

    def __init__(
        self,
        p: caffe_pb2.MultiBoxLossParameter,
        objects: Objects,
        offsets: Tensor,
        scores: Tensor,
        priors: Tensor,
        variances: Tensor,
        stage: Sequence[Tensor],
    ) -> None:
        self.p = p
        self.objects = objects
        self.offsets = offsets
        self.scores = scores
        self.priors = priors
        self.variances = variances
        self.likely = stage[0][..., 1] >= p.objectness_score if stage else None
        self.anchors = priors.unsqueeze(0)
        if len(stage) > 1:
            self.anchors = decode(
                stage[1], priors, variances, p.code_type, in_target=p.encode_variance_in_target
            )
        self.background = int(p.background_label_id)
        self.locations = (
            1 if p.share_location else p.num_classes - (self.background < p.num_classes)
        )

    def slot(self, location: Tensor) -> Tensor:
        """Which of the L classes of locations each of the K is."""
        return location if self.p.share_location else location + (location >= self.background)

    def predicted(self) -> Tensor:
        """Boxes (N, K, P, 4) that the offsets to the priors stand for."""
        slots = self.slot(torch.arange(self.locations, device=self.offsets.device))
        offsets = self.offsets.transpose(1, 2)[:, slots]
        return decode(
            offsets,
            self.priors,
            self.variances,
            self.p.code_type,
            in_target=self.p.encode_variance_in_target,
        )

    def matches(self) -> tuple[Tensor, Tensor]:
        """The object of each prior (N, K, P), and the largest overlaps (N, K, P).

        In place of an object NOTHING or OUTSIDE.
        """
        p = self.p
        own = self.objects
        pictures = len(self.offsets)
        separate = not (p.share_location or p.use_prior_for_matching)
        used = own.used
        group = own.pictures
        if separate:
            used = used & (own.labels < p.num_classes)
            slot = (own.labels - (own.labels > self.background).long()).clamp(0, self.locations - 1)
            group = group * self.locations + slot
        groups = pictures * self.locations if separate else pictures
        if p.use_prior_for_matching:
            boxes = self.anchors
            theirs = boxes if len(boxes) == 1 else boxes[group]
        else:
            boxes = self.predicted().reshape(groups, -1, 4)
            theirs = boxes[group]
        common = overlaps(theirs, own.boxes.unsqueeze(1)).masked_fill(~used.unsqueeze(1), 0)
        beyond = ((boxes < 0) | (boxes > 1)).any(2) if p.ignore_cross_boundary_bbox else None
        if beyond is not None:
            common = common.masked_fill(beyond if len(beyond) == 1 else beyond[group], 0)
        found, most = matching.match(common, group, groups, p)
        if beyond is not None:
            found = found.masked_fill(beyond, OUTSIDE)
        found, most = (part.view(pictures, -1, part.shape[1]) for part in (found, most))
        if separate or p.share_location:
            return found, most
        labels = self.slot(torch.arange(self.locations, device=found.device)).view(1, -1, 1)
        others = (found >= 0) & (own.labels[found.clamp(min=0)] != labels)
        return torch.where(others, NOTHING, found), most.expand_as(others)

    def labels(self, found: Tensor) -> Tensor:
        """The class that each prior learns, by its object, or the background."""
        return torch.where(found >= 0, self.objects.classes[found.clamp(min=0)], self.background)

    def mined(self, found: Tensor, most: Tensor, *, apart: bool) -> tuple[Tensor, Tensor]:
        """What stays of the matches (N, K, P), and which priors (N, P) are hard examples.

        Those are chosen by the losses as they are. Without mining all are.
        """
        p = self.p
        if p.mining_type == NO_MINING:
            return found, torch.ones_like(found[:, 0], dtype=torch.bool)
        own = found[:, 0]
        losses = matching.confidence_losses(
            self.scores, self.labels(own), logistic=p.conf_loss_type == LOGISTIC
        )
        if p.mining_type == matching.HARD_EXAMPLE:
            at = _Places.of(found)
            misses = self.misses(at, self.offsets, self.priors.unsqueeze(0))
            more = matching.location_losses(misses, smooth=p.loc_loss_type == SMOOTH_L1)
            losses = losses.index_put(
                (at.picture, at.prior), torch.where(at.learns, more, 0), accumulate=True
            )
        among = (
            torch.zeros_like(own[:, 0])
            .index_add_(0, self.objects.pictures, self.objects.used.long())
            .unsqueeze(1)
            > 0
        )
        among = among.expand_as(own) if self.likely is None else among & self.likely
        boxes = None
        if apart:
            boxes = (
                self.priors.expand(len(own), -1, -1)
                if p.use_prior_for_nms
                else self.predicted()[:, 0]
            )
        chosen = matching.mine(own, most[:, 0], losses, p, among=among, boxes=boxes)
        if p.mining_type == matching.HARD_EXAMPLE:
            found = torch.where((found >= 0) & ~chosen.unsqueeze(1), NOTHING, found)
            chosen = chosen & (own == NOTHING)
        return found, chosen

    def misses(self, at: _Places, offsets: Tensor, anchors: Tensor) -> Tensor:
        """Errors (M, 4) of offsets (N, P, L, 4) to ``anchors`` (1 or N, P, 4).

        0 for edges that learn nothing.
        """
        p = self.p
        slot = self.slot(at.location)
        variances = self.variances[at.prior]
        own = anchors[0][at.prior] if len(anchors) == 1 else anchors[at.picture, at.prior]
        wanted = encode(
            self.objects.boxes[at.object],
            own,
            variances,
            p.code_type,
            in_target=p.encode_variance_in_target,
        )
        given = offsets[at.picture, at.prior, slot]
        nothing = ~at.learns.unsqueeze(1)
        if p.bp_inside:
            boxes = own
            if not p.use_prior_for_matching:
                boxes = decode(
                    given.detach().float(),
                    own,
                    variances,
                    p.code_type,
                    in_target=p.encode_variance_in_target,
                )
            nothing = nothing | (boxes < 0) | (boxes > 1)
        if p.encode_variance_in_target:
            wanted = wanted / variances
            # The gradient goes to the offsets as they are, as in SSD.
            given = given + (given / variances - given).detach()
        return (given - wanted.to(given.dtype)).masked_fill(nothing, 0)


def _location_loss(offsets: Tensor, batch: _Batch, found: Tensor) -> Tensor:
    """Sum of the losses of the scores of positives and negatives.

    With mining NONE of all priors.
    """
    difference = batch.misses(_Places.of(found), offsets, batch.anchors)
    return (
        smooth_l1(difference).sum()
        if batch.p.loc_loss_type == SMOOTH_L1
        else difference.square().sum() / 2
    )


def _confidence_loss(scores: Tensor, batch: _Batch, found: Tensor, chosen: Tensor) -> Tensor:
    """Sum of the losses of the scores of positives and negatives.

    With mining NONE of all priors.
    """
    p, background = batch.p, batch.background
    taught = torch.where(found >= 0, batch.objects.classes[found.clamp(min=0)], -1).amax(1)
    labels = torch.where(taught < 0, background, taught).flatten()
    learns = (chosen | (taught >= 0)).flatten()
    rows = scores.flatten(0, 1)
    mined = p.mining_type != NO_MINING
    if mined:
        at = present(learns)
        rows = rows[at]
        labels = labels[at]
        learns = learns[at]
    if p.conf_loss_type != LOGISTIC:
        return softmax_loss(rows, labels, learns)
    # As in SSD: its buffer of targets holds the background's label, whatever they are targets of.
    targets = torch.full_like(rows, background)
    if mined:
        targets = targets.masked_fill(
            torch.arange(p.num_classes, device=rows.device) == labels.unsqueeze(1), 1
        )
    else:
        targets = _misplaced(targets, batch, found)
    return F.binary_cross_entropy_with_logits(
        rows, targets, learns.unsqueeze(1).to(rows.dtype), reduction="sum"
    )


def _misplaced(targets: Tensor, batch: _Batch, found: Tensor) -> Tensor:
    """With those of the positives.

    SSD's second picture begins P elements on, not P * C: its targets are misplaced, and so are
    these.
    """
    at = _Places.of(found)
    flat = (
        at.picture * found.shape[2]
        + at.prior * batch.p.num_classes
        + batch.objects.classes[at.object]
    )
    # the last is for places that learn nothing
    room = torch.cat((targets.flatten(), targets.new_zeros(1)))
    return room.index_fill(0, torch.where(at.learns, flat, targets.numel()), 1)[:-1].view_as(
        targets
    )
