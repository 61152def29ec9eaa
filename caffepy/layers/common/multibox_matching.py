"""SSD's matching of priors to objects and its choice of hard examples.

Both are done for all pictures at once.

Nothing here is looked at on a GPU: what the values of a batch decide is masked there, and left out
on the CPU.
"""

# N pictures, P priors, G rows of objects, S groups of objects that are matched among themselves (a
# picture, or a class of one)

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from caffepy.errors import LayerError
from caffepy.layers.common.boxes import present, suppress
from caffepy.layers.common.cross_entropy import LOG_FLT_MIN
from caffepy.layers.core.base import Layer, Run, is_readable
from caffepy.layers.core.places import inside
from caffepy.proto import caffe_pb2

MULTIBOX = caffe_pb2.MultiBoxLossParameter
PER_PREDICTION = MULTIBOX.PER_PREDICTION
MAX_NEGATIVE = MULTIBOX.MAX_NEGATIVE
HARD_EXAMPLE = MULTIBOX.HARD_EXAMPLE
NO_MINING = MULTIBOX.NONE
NOTHING, OUTSIDE = -1, -2
LEAST_OVERLAP = 1e-6
LEAST_AREA = 1e-5
"""A smaller box is no example where boxes suppress one another."""
LOW = 2**32


@dataclass(frozen=True)
class Objects:
    """Objects of all pictures: picture, label, box (G, 4), the class that it teaches.

    All but the boxes are (G,). Rows that are not ``used`` are no objects.
    """

    pictures: Tensor
    labels: Tensor
    boxes: Tensor
    classes: Tensor
    used: Tensor


def objects_of(
    layer: Layer, rows: Tensor, pictures: int, p: caffe_pb2.MultiBoxLossParameter, run: Run
) -> Objects:
    """From rows (item, label, instance, xmin, ymin, xmax, ymax, difficult); item -1: none.

    In RefineDet's first stage, of two classes, all labels are one.
    """
    used = rows[:, 0] >= 0
    if not p.use_difficult_gt:
        used = used & (rows[:, 7] == 0)
    kept = present(used)
    if not len(kept):  # one row that is none
        rows, used, kept = (
            rows.new_full((1, 8), -1),
            used.new_zeros(1),
            torch.zeros(1, dtype=torch.int64, device=rows.device),
        )
    rows, used = rows[kept], used[kept]
    items, labels = rows[:, :2].long().unbind(1)
    if p.num_classes == 2 and p.HasField("objectness_score"):
        labels = labels.clamp(max=1)
    wrong = (items >= pictures) | (labels < 0) | (labels == p.background_label_id)
    if not p.map_object_to_agnostic:
        wrong |= labels >= p.num_classes

    def refusal(code: float) -> LayerError:
        item, label = divmod(-1 - int(code), LOW)
        return layer.fail(
            f"an object of picture {item} has label {label - LOW // 2};"
            f" needed: pictures 0 to {pictures - 1}, labels 0 to"
            f" {p.num_classes - 1} other than that of the background, {p.background_label_id}"
        )

    # One number says which object is wrong.
    wrong = torch.where(wrong & used, -1 - LOW // 2 - items * LOW - labels, 0)
    if is_readable(wrong) and wrong.any():
        raise refusal(int(wrong[wrong.nonzero()[0, 0]]))
    used = used & (inside(wrong, 1, run, refusal) == wrong)
    classes = (
        torch.full_like(labels, p.background_label_id + 1) if p.map_object_to_agnostic else labels
    )
    return Objects(items.clamp(0, pictures - 1), labels, rows[:, 3:7], classes, used)


def match(
    common: Tensor, group: Tensor, groups: int, p: caffe_pb2.MultiBoxLossParameter
) -> tuple[Tensor, Tensor]:
    """From overlaps (G, P) of objects with boxes, which object each box is matched to.

    Returns the index of that or NOTHING, and the largest overlap of the box with any object, both
    (S, P).

    In each ``group`` (G,) every object gets the free box that overlaps it most, largest overlap
    first; then, with PER_PREDICTION, each free box the object that it overlaps most, if by the
    threshold or more. An overlap of 0 is none.
    """
    row = torch.arange(len(common), device=common.device).unsqueeze(1)
    # The greatest key is that of the largest overlap and, of equal ones, of the first object.
    keys = torch.where(
        common > LEAST_OVERLAP, common.view(torch.int32).long() * LOW + (LOW - 1 - row), 0
    )
    best = _best(keys, group, groups)
    most = (best >> 32).int().view(torch.float32)
    first = LOW - 1 - (best & (LOW - 1))
    # the last is for objects that get none
    matched = torch.full((groups, common.shape[1] + 1), NOTHING, device=common.device)
    rounds = int(torch.bincount(group).max()) if is_readable(group) else len(group)
    for number in range(rounds):
        if number:
            best = _best(keys, group, groups)
        overlap, box = (best >> 32).max(1)
        served = LOW - 1 - (best.gather(1, box.unsqueeze(1)) & (LOW - 1))
        matched.scatter_(1, torch.where(overlap > 0, box, common.shape[1]).unsqueeze(1), served)
        keys = keys.masked_fill(served[group] == row, 0).scatter_(1, box[group].unsqueeze(1), 0)
    matched = matched[:, :-1]
    if p.match_type == PER_PREDICTION:
        matched = torch.where(
            (matched == NOTHING) & (most > 0) & (most >= p.overlap_threshold), first, matched
        )
    return matched, most


def _best(keys: Tensor, group: Tensor, groups: int) -> Tensor:
    """The greatest key of each group and box (S, P)."""
    return keys.new_zeros(groups, keys.shape[1]).scatter_reduce_(
        0, group.unsqueeze(1).expand_as(keys), keys, "amax"
    )


def mine(
    matched: Tensor,
    overlap: Tensor,
    losses: Tensor,
    p: caffe_pb2.MultiBoxLossParameter,
    *,
    among: Tensor,
    boxes: Tensor | None = None,
) -> Tensor:
    """Which priors (N, P) are hard examples, by what they are matched to and their ``losses``.

    With HARD_EXAMPLE matched ones may be, too.

    ``among`` (N, P): the only ones to choose from. ``boxes`` (N, P, 4): suppress one another, on
    the host.
    """
    if p.mining_type == MAX_NEGATIVE:
        among = among & (matched == NOTHING) & (overlap < p.neg_overlap)
        number = ((matched >= 0).sum(1).float() * p.neg_pos_ratio).long().clamp(min=0)
    else:
        number = torch.full_like(matched[:, 0], p.sample_size)
    if boxes is not None:
        return _mine_apart(among, losses, number, boxes, p.nms_param)
    number = torch.minimum(number, among.sum(1))
    most = int(number.max()) if is_readable(number) else matched.shape[1]
    if not most:
        return torch.zeros_like(among)
    losses = torch.where(among, losses.nan_to_num(-torch.inf, torch.inf), -torch.inf)
    number = number.unsqueeze(1)
    least = losses.topk(most, 1).values.gather(1, (number - 1).clamp(min=0))
    more = losses > least
    equal = (losses == least) & among
    # Of equal losses the first count.
    return (more | (equal & (equal.cumsum(1) <= number - more.sum(1, keepdim=True)))) & (number > 0)


def _mine_apart(
    among: Tensor,
    losses: Tensor,
    number: Tensor,
    boxes: Tensor,
    p: caffe_pb2.NonMaximumSuppressionParameter,
) -> Tensor:
    plain = caffe_pb2.NonMaximumSuppressionParameter(nms_threshold=p.nms_threshold)
    chosen = torch.zeros(among.shape, dtype=torch.bool)
    losses, boxes = losses.cpu(), boxes.cpu()
    for i, (own, most) in enumerate(zip(among.cpu(), number.tolist())):
        eligible = own.nonzero()[:, 0]
        order = suppress(
            boxes[i, eligible],
            losses[i, eligible],
            plain,
            top_k=int(p.top_k),
            least_area=LEAST_AREA,
        )
        chosen[i, eligible[order[:most]]] = True
    return chosen.to(among.device)


def confidence_losses(scores: Tensor, labels: Tensor, *, logistic: bool) -> Tensor:
    """Loss (...) of scores (..., C) with their label (...).

    Softmax, clamped, or the sum of the classes' logistic losses.
    """
    if not logistic:
        return (
            -scores.log_softmax(-1)
            .gather(-1, labels.unsqueeze(-1))
            .squeeze(-1)
            .clamp(min=LOG_FLT_MIN)
        )
    targets = torch.arange(scores.shape[-1], device=scores.device) == labels.unsqueeze(-1)
    positive = (scores >= 0).float()
    each = (scores - 2 * scores * positive).exp().log1p() - scores * (targets.float() - positive)
    return each.sum(-1)


def location_losses(differences: Tensor, *, smooth: bool) -> Tensor:
    """Loss (M,) of rows of differences (M, 4): half their squares.

    ``smooth``: distances beyond 1 count by their absolute value.
    """
    distance = differences.abs()
    squares = differences * differences / 2
    return (torch.where(distance < 1, squares, distance - 0.5) if smooth else squares).sum(1)
