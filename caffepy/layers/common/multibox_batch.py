"""What SSD's loss compares: matched priors, hard examples and the errors of their offsets."""

# N batch, P priors, C classes, L classes of locations (1 if shared), K of these without the
# background, G rows of objects, M matched priors: on the CPU those with an object; on a GPU all
# N * K * P, and ``learns`` tells which have one

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from caffepy.layers.common import multibox_matching as matching
from caffepy.layers.common.boxes import decode, encode, overlaps, present
from caffepy.layers.common.multibox_matching import MULTIBOX, NO_MINING, NOTHING, OUTSIDE, Objects
from caffepy.proto import caffe_pb2

SMOOTH_L1 = MULTIBOX.SMOOTH_L1
LOGISTIC = MULTIBOX.LOGISTIC


@dataclass(frozen=True)
class MatchedPriors:
    """Priors that are matched to objects: indices (M,), and whether there is an object (M,).

    ``location``: the index among the K classes of locations.
    """

    picture: Tensor
    location: Tensor
    prior: Tensor
    object: Tensor
    learns: Tensor

    @staticmethod
    def of(matched: Tensor) -> MatchedPriors:
        """From the index of each prior's object, (N, K, P); it is negative where there is none."""
        flat = matched.flatten()
        at = present(flat >= 0)
        place = at // matched.shape[2]
        own = flat[at]
        return MatchedPriors(
            place // matched.shape[1],
            place % matched.shape[1],
            at % matched.shape[2],
            own.clamp(min=0),
            own >= 0,
        )


class MultiBoxBatch:
    """A batch as the loss sees it, without gradients.

    ``offsets`` (N, P, L, 4), ``scores`` (N, P, C), ``priors`` and ``variances`` (P, 4).
    ``stage``: scores (N, P, 2) and offsets (N, P, 4) of RefineDet's first stage, or nothing.
    ``likely`` (N, P): priors in which the first stage expects an object; None without that stage.
    ``anchors`` (1 or N, P, 4): the priors, moved by the first stage's offsets if it has some.
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
        """The index among the L classes of locations of each index ``location`` among the K."""
        return location if self.p.share_location else location + (location >= self.background)

    def predicted(self) -> Tensor:
        """The predicted boxes (N, K, P, 4): the priors moved by the offsets."""
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
        """Match each prior to an object, by overlap.

        Returns the index of the object, or NOTHING or OUTSIDE, (N, K, P); and the largest overlap
        of the prior with any object, (N, K, P).
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
        matched, most = matching.match(common, group, groups, p)
        if beyond is not None:
            matched = matched.masked_fill(beyond, OUTSIDE)
        matched = matched.view(pictures, -1, matched.shape[1])
        most = most.view(pictures, -1, most.shape[1])
        if separate or p.share_location:
            return matched, most
        labels = self.slot(torch.arange(self.locations, device=matched.device)).view(1, -1, 1)
        others = (matched >= 0) & (own.labels[matched.clamp(min=0)] != labels)
        return torch.where(others, NOTHING, matched), most.expand_as(others)

    def labels(self, matched: Tensor) -> Tensor:
        """The class that each prior learns: that of its object, or the background."""
        return torch.where(
            matched >= 0, self.objects.classes[matched.clamp(min=0)], self.background
        )

    def mined(self, matched: Tensor, most: Tensor, *, apart: bool) -> tuple[Tensor, Tensor]:
        """Choose hard examples by their losses as they are now.

        Returns the matches that remain, (N, K, P), and which priors are hard examples, (N, P).
        Without mining all matches remain, and all priors are hard examples. ``apart``: examples
        suppress one another where they overlap.
        """
        p = self.p
        if p.mining_type == NO_MINING:
            return matched, torch.ones_like(matched[:, 0], dtype=torch.bool)
        own = matched[:, 0]
        losses = matching.confidence_losses(
            self.scores, self.labels(own), logistic=p.conf_loss_type == LOGISTIC
        )
        if p.mining_type == matching.HARD_EXAMPLE:
            at = MatchedPriors.of(matched)
            offset_errors = self.offset_errors(at, self.offsets, self.priors.unsqueeze(0))
            more = matching.location_losses(offset_errors, smooth=p.loc_loss_type == SMOOTH_L1)
            losses = losses.index_put(
                (at.picture, at.prior), torch.where(at.learns, more, 0), accumulate=True
            )
        # Pictures without objects have no hard examples.
        numbers = torch.zeros_like(own[:, 0])
        numbers = numbers.index_add_(0, self.objects.pictures, self.objects.used.long())
        among = numbers.unsqueeze(1) > 0
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
            matched = torch.where((matched >= 0) & ~chosen.unsqueeze(1), NOTHING, matched)
            chosen = chosen & (own == NOTHING)
        return matched, chosen

    def offset_errors(self, at: MatchedPriors, offsets: Tensor, anchors: Tensor) -> Tensor:
        """Errors (M, 4) of ``offsets`` (N, P, L, 4) to ``anchors`` (1 or N, P, 4).

        They are 0 for edges that learn nothing.
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
