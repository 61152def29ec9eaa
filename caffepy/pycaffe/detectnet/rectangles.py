"""Groups of rectangles that lie nearly alike, and their means.

The rule is that of ``cv::groupRectangles``, which OpenCV 5 no longer has.
"""

# R rectangles (x, y, width, height), G groups

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.int64]

FEW = 3
"""A smaller group is left out if its rectangle lies inside that of another group.

A group of more than these has smaller groups inside its rectangle left out.
"""


def group_rectangles(rectangles: Integers, threshold: int, eps: float) -> tuple[Integers, Integers]:
    """The means (G, 4) of the groups of (R, 4), and their sizes (G,).

    Only groups of more than ``threshold`` count, in the order of their first rectangles.

    Neighbours belong to one group: their sides differ by at most ``eps`` of the mean of the smaller
    width and height. ``threshold`` 0: all of them, ungrouped.
    """
    if threshold <= 0 or not len(rectangles):
        return rectangles, np.ones(len(rectangles), np.int64)
    labels = _partition(rectangles, eps)
    sizes = np.bincount(labels)
    sums = np.stack([np.bincount(labels, column) for column in rectangles.T], 1)
    means = np.rint(
        sums.astype(np.float32) * (np.float32(1) / sizes.astype(np.float32))[:, None]
    ).astype(np.int64)
    enough = sizes > threshold
    means = means[enough]
    sizes = sizes[enough]
    kept = [i for i in range(len(means)) if not _lies_in_another(i, means, sizes, eps)]
    return means[kept], sizes[kept]


def _partition(rectangles: Integers, eps: float) -> Integers:
    """Of each rectangle, the number of its group: all that are connected by neighbours."""
    ends = np.concatenate((rectangles[:, :2], rectangles[:, :2] + rectangles[:, 2:]), 1)
    labels = np.full(len(rectangles), -1, np.int64)
    groups = 0
    for first in range(len(rectangles)):
        if labels[first] >= 0:
            continue
        labels[first] = groups
        waiting = [first]
        while waiting:
            at = waiting.pop()
            reach = eps * np.minimum(rectangles[:, 2:], rectangles[at, 2:]).sum(1) * 0.5
            near = (np.abs(ends - ends[at]) <= reach[:, None]).all(1) & (labels < 0)
            labels[near] = groups
            waiting += np.flatnonzero(near).tolist()
        groups += 1
    return labels


def _lies_in_another(i: int, means: Integers, sizes: Integers, eps: float) -> bool:
    """Whether group ``i`` is one to leave out."""
    reach = np.rint(means[:, 2:] * eps).astype(np.int64)
    starts = means[:, :2] - reach
    ends = means[:, :2] + means[:, 2:] + reach
    inside = ((means[i, :2] >= starts) & (means[i, :2] + means[i, 2:] <= ends)).all(1)
    inside[i] = False
    return bool((inside & ((sizes > max(FEW, sizes[i])) | (sizes[i] < FEW))).any())
