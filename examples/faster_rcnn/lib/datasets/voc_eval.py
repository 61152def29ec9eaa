"""Average precision as VOC computes it."""

# D detections

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from datasets.pascal_voc import Entry
from fast_rcnn.bbox_transform import bbox_overlaps


def voc_ap(recall: np.ndarray, precision: np.ndarray, use_07_metric: bool = True) -> float:
    """The mean of the best precision at 11 recalls, as VOC2007 has it, or the area below it."""
    if use_07_metric:
        recalls = np.arange(11) / 10
        best = [precision[recall >= one].max(initial=0.0) for one in recalls]
        return float(np.mean(best))
    envelope = np.maximum.accumulate(np.append(precision, 0)[::-1])[::-1]
    steps = np.diff(np.concatenate([[0.0], recall]))
    return float((steps * envelope[: len(recall)]).sum())


def voc_eval(
    detections: Sequence[np.ndarray],
    entries: Sequence[Entry],
    label: int,
    overlap: float = 0.5,
    use_07_metric: bool = True,
) -> float:
    """Average precision of one class; NaN where no picture has it.

    `detections`: for each picture (D, 5), boxes and scores. Difficult objects count neither way.
    """
    scores = []
    hits = []
    total = 0
    for found, entry in zip(detections, entries):
        mine = entry.classes == label
        total += int((~entry.difficult[mine]).sum())
        good, counts = _judge(found, entry.boxes[mine], entry.difficult[mine], overlap)
        scores.append(found[counts, 4])
        hits.append(good[counts])
    if not total:
        return float("nan")
    order = np.argsort(-np.concatenate(scores), kind="stable")
    hit = np.concatenate(hits)[order]
    true = np.cumsum(hit)
    return voc_ap(true / total, true / np.arange(1, len(hit) + 1), use_07_metric)


def _judge(
    found: np.ndarray, boxes: np.ndarray, difficult: np.ndarray, overlap: float
) -> tuple[np.ndarray, np.ndarray]:
    """Whether each detection is a hit, and whether it counts. A box is hit once."""
    good = np.zeros(len(found), bool)
    counts = np.ones(len(found), bool)
    if not len(boxes) or not len(found):
        return good, counts
    overlaps = bbox_overlaps(found[:, :4], boxes)
    taken = np.zeros(len(boxes), bool)
    for i in np.argsort(-found[:, 4], kind="stable"):
        box = overlaps[i].argmax()
        if overlaps[i, box] <= overlap:
            continue
        if difficult[box]:
            counts[i] = False
        else:
            good[i] = not taken[box]
            taken[box] = True
    return good, counts
