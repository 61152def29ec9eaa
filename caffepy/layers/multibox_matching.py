"""Which priors learn what: SSD's matching of priors to objects and its choice of hard examples, on the host."""

# P priors, G objects of one picture, M matched priors

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.layers.base import Layer
from caffepy.layers.boxes import Floats, Indices, overlaps, suppress
from caffepy.layers.softmax_loss import LOG_FLT_MIN
from caffepy.proto import caffe_pb2

Bools = npt.NDArray[np.bool_]
MULTIBOX = caffe_pb2.MultiBoxLossParameter
PER_PREDICTION = MULTIBOX.MatchType.Value("PER_PREDICTION")
MAX_NEGATIVE, HARD_EXAMPLE, NO_MINING = (MULTIBOX.MiningType.Value(name) for name in ("MAX_NEGATIVE", "HARD_EXAMPLE", "NONE"))
NOTHING, OUTSIDE = -1, -2
LEAST_OVERLAP = np.float32(1e-6)
LEAST_AREA = 1e-5
"""A smaller box is no example where boxes suppress one another."""


@dataclass
class Objects:
    """The objects of one picture: labels (G,), boxes (G, 4) and the class (G,) that each teaches."""

    labels: Indices
    boxes: Floats
    classes: Indices


@dataclass
class Match:
    """Priors of one picture: ``object`` (P,) the index of the object each is matched to, NOTHING or OUTSIDE (of the picture);
    ``overlap`` (P,) with its object, or the largest with any."""

    object: Indices
    overlap: Floats
    negatives: Indices = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def positives(self) -> Indices:
        """The matched priors."""
        return np.nonzero(self.object >= 0)[0]


def objects_of(layer: Layer, rows: Floats, pictures: int, p: Any) -> list[Objects]:
    """The objects of each picture, from rows (item, label, instance, xmin, ymin, xmax, ymax, difficult); item -1: none.

    In RefineDet's first stage, of two classes, all labels are one.
    """
    found = []
    used = rows[rows[:, 0] >= 0]
    if p.num_classes == 2 and p.HasField("objectness_score"):
        used[:, 1] = used[:, 1].clip(max=1)
    if not p.use_difficult_gt:
        used = used[used[:, 7] == 0]
    for row in used:
        known = int(row[1]) >= 0 and (p.map_object_to_agnostic or int(row[1]) < p.num_classes)
        if int(row[0]) >= pictures or not known or int(row[1]) == p.background_label_id:
            raise layer.fail(
                f"an object of picture {int(row[0])} has label {int(row[1])}; needed: pictures 0 to {pictures - 1}, labels 0 to"
                f" {p.num_classes - 1} other than that of the background, {p.background_label_id}"
            )
    for picture in range(pictures):
        own = used[used[:, 0].astype(np.int64) == picture]
        labels = own[:, 1].astype(np.int64)
        classes = np.full_like(labels, p.background_label_id + 1) if p.map_object_to_agnostic else labels
        found.append(Objects(labels, own[:, 3:7], classes))
    return found


def match(objects: Objects, boxes: Floats, p: Any, *, label: int | None = None) -> Match:
    """Match boxes (P, 4) to objects (of ``label``, if it is given): each object gets the free box that overlaps it most, largest
    overlap first; then, with PER_PREDICTION, each free box the object that it overlaps most, if by the threshold or more."""
    result = Match(np.full(len(boxes), NOTHING), np.zeros(len(boxes), np.float32))
    wanted = np.arange(len(objects.labels)) if label is None else np.nonzero(objects.labels == label)[0]
    if not len(wanted):
        return result
    if p.ignore_cross_boundary_bbox:
        result.object[((boxes < 0) | (boxes > 1)).any(1)] = OUTSIDE
    common = overlaps(boxes[:, None], objects.boxes[None, wanted])
    common[(common <= LEAST_OVERLAP) | (result.object == OUTSIDE)[:, None]] = 0
    result.overlap[:] = common.max(1)
    free = common.copy()
    for _ in wanted:
        box, column = np.unravel_index(free.argmax(), free.shape)
        if free[box, column] <= 0:
            break
        result.object[box], result.overlap[box] = wanted[column], free[box, column]
        free[box], free[:, column] = 0, 0
    if p.match_type == PER_PREDICTION:
        best = common.argmax(1)
        most = common[np.arange(len(boxes)), best]
        more = (result.object == NOTHING) & (most > 0) & (most >= np.float32(p.overlap_threshold))
        result.object[more] = wanted[best[more]]
    return result


def mine(found: Match, losses: Floats, boxes: Floats, p: Any, *, likely: Bools | None = None) -> None:
    """Choose the negatives of one picture and, with HARD_EXAMPLE, the positives that stay.

    ``losses`` (P,) of each prior as it is matched now; ``boxes`` (P, 4) that suppress one another where nms_param is given; ``likely``
    (P,): the only ones to choose from.
    """
    if p.mining_type == MAX_NEGATIVE:
        eligible = _those((found.object == NOTHING) & (found.overlap < np.float32(p.neg_overlap)), likely)
        number = min(max(0, int(np.float32(len(found.positives)) * np.float32(p.neg_pos_ratio))), len(eligible))
    else:
        eligible = _those(np.ones(len(found.object), bool), likely)
        number = min(int(p.sample_size), len(eligible))
    if p.HasField("nms_param") and p.nms_param.nms_threshold > 0:
        plain = caffe_pb2.NonMaximumSuppressionParameter(nms_threshold=p.nms_param.nms_threshold)
        order = suppress(boxes[eligible], losses[eligible], plain, top_k=int(p.nms_param.top_k), least_area=LEAST_AREA)
    else:
        order = np.argsort(-losses[eligible], kind="stable")
    chosen = np.zeros(len(found.object), bool)
    chosen[eligible[order[:number]]] = True
    found.negatives = np.nonzero(chosen & (found.object == NOTHING))[0]
    if p.mining_type == HARD_EXAMPLE:
        found.object[(found.object >= 0) & ~chosen] = NOTHING


def _those(eligible: Bools, likely: Bools | None) -> Indices:
    return np.nonzero(eligible if likely is None else eligible & likely)[0]


def confidence_losses(scores: Floats, labels: Indices, *, logistic: bool) -> Floats:
    """Loss (P,) of each row of scores (P, C) with its label: softmax, clamped, or the sum of the classes' logistic losses."""
    if not logistic:
        shifted = scores - scores.max(1, keepdims=True)
        losses: Floats = np.log(np.exp(shifted).sum(1)) - np.take_along_axis(shifted, labels[:, None], 1)[:, 0]
        return losses.clip(max=-LOG_FLT_MIN)
    targets = np.zeros_like(scores)
    rows = np.nonzero((labels >= 0) & (labels < scores.shape[1]))[0]
    targets[rows, labels[rows]] = 1
    positive = scores >= 0
    each: Floats = np.log1p(np.exp(scores - 2 * scores * positive)) - scores * (targets - positive)
    total: Floats = each.sum(1)
    return total


def location_losses(differences: Floats, *, smooth: bool) -> Floats:
    """Loss (M,) of rows of differences (M, 4): half their squares, or those smoothed to distances beyond 1."""
    distance = np.abs(differences)
    squares = differences * differences / np.float32(2)
    each = np.where(distance < 1, squares, distance - np.float32(0.5)) if smooth else squares
    total: Floats = each.sum(1)
    return total


def labels_of(found: Match, objects: Objects, background: int) -> Indices:
    """Class (P,) that each prior's object teaches, or the background."""
    labels = np.full(len(found.object), background)
    labels[found.positives] = objects.classes[found.object[found.positives]]
    return labels


def matched(matches: Sequence[Sequence[Match]]) -> int:
    """Number of matched priors of all pictures."""
    return sum(len(one.positives) for picture in matches for one in picture)
