"""The loss of SSD."""

# N batch, P priors, C classes, L classes of locations (1 if shared), G rows of objects

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common import multibox_matching as matching
from caffepy.layers.common.boxes import class_count, present, priors_and_variances
from caffepy.layers.common.cross_entropy import softmax_loss
from caffepy.layers.common.loss import LossLayer, normalization_mode, normalizer
from caffepy.layers.common.multibox_batch import LOGISTIC, SMOOTH_L1, MatchedPriors, MultiBoxBatch
from caffepy.layers.common.multibox_matching import NO_MINING
from caffepy.layers.common.smooth_l1 import smooth_l1
from caffepy.layers.core.base import Run, Shape, between
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches, Gradients
from caffepy.layers.detection.detection_output import check_first_stage, check_predictions


@register_layer("MultiBoxLoss")
class MultiBoxLossLayer(LossLayer):
    """Loss of matched boxes, of their scores and of hard examples.  Caffe type ``MultiBoxLoss``.

    Bottom: offsets (N, 4 * P * L) float; scores (N, P * C); priors (1, 2, 4 * P), as PriorBox makes
            them; objects (1, 1, G, 8): item, label, instance, xmin, ymin, xmax, ymax, difficult;
            item -1: no object. Gradients go to the first two.
            [4] scores of RefineDet's first stage (N, P * 2); a negative is learnt only where the
            score of an object is objectness_score or more
            [5] offsets of that stage (N, P * 4); they move the priors before these are matched
    Top:    () float; (loc_weight * location loss + confidence loss) / normaliser. The normaliser is
            the number of matches (VALID), N * P (FULL), N (BATCH_SIZE) or 1 (NONE), and at least 1.
            A part whose propagate_down is false is left out.
    Params: none
    Proto:  multibox_loss_param { loc_loss_type, conf_loss_type, loc_weight, num_classes,
            share_location, match_type, overlap_threshold, use_prior_for_matching,
            background_label_id, use_difficult_gt, neg_pos_ratio, neg_overlap, code_type,
            encode_variance_in_target, map_object_to_agnostic, ignore_cross_boundary_bbox,
            bp_inside, mining_type | do_neg_mining, nms_param, sample_size, use_prior_for_nms,
            objectness_score (with num_classes 2 this is RefineDet's first stage: objects of all
            labels are one class) }, loss_param { normalization | normalize }
    Differs from torch: no counterpart. With nms_param boxes suppress one another on the host. As in
            SSD, the gradient is not scaled by variances that are encoded in the target; LOGISTIC
            without mining misplaces the targets of all pictures but the first; the target of
            LOGISTIC for a class that is not there is background_label_id. As in RefineDet, hard
            examples are chosen by offsets to the priors before these are moved.
    Source: SSD, multibox_loss_layer; Liu et al. 2016. With bottoms 4 and 5: RefineDet; Zhang et al.
            2018
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
        # Hard examples suppress one another on the host.
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
        """Match priors and choose hard examples without gradients, then compute the loss."""
        p = self.param.multibox_loss_param
        n = len(bottoms[0])
        offsets = bottoms[0].reshape(n, self.priors, self.location_classes, 4)
        scores = bottoms[1].reshape(n, self.priors, self.classes)
        objects = matching.objects_of(self, bottoms[3].detach().float().reshape(-1, 8), n, p, run)
        stage = [bottom.detach().float().reshape(n, self.priors, -1) for bottom in bottoms[4:]]
        batch = MultiBoxBatch(
            p,
            objects,
            offsets.detach().float(),
            scores.detach().float(),
            *priors_and_variances(bottoms[2]),
            stage,
        )
        matched, chosen = batch.mined(*batch.matches(), apart=self.device.on_host)
        loss = (
            p.loc_weight * _location_loss(offsets, batch, matched)
            if self.parts[0]
            else offsets[:0].sum()
        )
        loss = loss + (
            _confidence_loss(scores, batch, matched, chosen) if self.parts[1] else scores[:0].sum()
        )
        return (
            loss / normalizer(self.mode, outer=n, inner=self.priors, valid=matched >= 0, run=run),
        )


def _location_loss(offsets: Tensor, batch: MultiBoxBatch, matched: Tensor) -> Tensor:
    """Sum of the losses of the offsets of matched priors."""
    difference = batch.offset_errors(MatchedPriors.of(matched), offsets, batch.anchors)
    return (
        smooth_l1(difference).sum()
        if batch.p.loc_loss_type == SMOOTH_L1
        else difference.square().sum() / 2
    )


def _confidence_loss(
    scores: Tensor, batch: MultiBoxBatch, matched: Tensor, chosen: Tensor
) -> Tensor:
    """Sum of the losses of the scores of matched priors and hard examples.

    With mining_type NONE it is the sum over all priors.
    """
    p = batch.p
    background = batch.background
    taught = torch.where(matched >= 0, batch.objects.classes[matched.clamp(min=0)], -1).amax(1)
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
        targets = _misplaced(targets, batch, matched)
    return F.binary_cross_entropy_with_logits(
        rows, targets, learns.unsqueeze(1).to(rows.dtype), reduction="sum"
    )


def _misplaced(targets: Tensor, batch: MultiBoxBatch, matched: Tensor) -> Tensor:
    """``targets`` with a 1 for the class of each matched prior, in the place where SSD writes it.

    SSD takes the targets of each picture to begin P elements after those of the picture before. In
    fact they begin P * C after it, so all but the first picture's are misplaced.
    """
    at = MatchedPriors.of(matched)
    flat = (
        at.picture * matched.shape[2]
        + at.prior * batch.p.num_classes
        + batch.objects.classes[at.object]
    )
    # The element added at the end takes what is written for priors without an object.
    room = torch.cat((targets.flatten(), targets.new_zeros(1)))
    return room.index_fill(0, torch.where(at.learns, flat, targets.numel()), 1)[:-1].view_as(
        targets
    )
