"""Boxes (x1, y1, x2, y2), both ends included, and the offsets from one to another.

Offsets are (dx, dy, dw, dh): the way between the centres in widths and heights of the first box,
and the logarithms of the ratios of the sides.
"""

from __future__ import annotations

import numpy as np


def bbox_transform(boxes: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """The offsets that move boxes (N, 4) onto targets (N, 4)."""
    sides, centres = _sides_and_centres(boxes)
    target_sides, target_centres = _sides_and_centres(targets)
    moves = (target_centres - centres) / sides
    return np.hstack([moves, np.log(target_sides / sides)])


def bbox_transform_inv(boxes: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Boxes (N, 4) moved by offsets (N, 4 * K); (N, 4 * K).

    The moved box ends at its centre and half its side, without the -1 that the ends would need.
    So it is in py-faster-rcnn, whose weights have learned with it.
    """
    sides, centres = _sides_and_centres(boxes.astype(offsets.dtype, copy=False))
    each = offsets.reshape(len(boxes), -1, 4)
    moved = each[..., :2] * sides[:, None] + centres[:, None]
    halves = np.exp(each[..., 2:]) * sides[:, None] * each.dtype.type(0.5)
    return np.concatenate([moved - halves, moved + halves], axis=2).reshape(offsets.shape)


def clip_boxes(boxes: np.ndarray, shape: tuple[float, ...]) -> np.ndarray:
    """Boxes (N, 4 * K) cut off at the edges of a picture of `shape` (height, width, ...)."""
    height, width = shape[:2]
    most = np.array([width, height, width, height], boxes.dtype) - 1
    return np.clip(boxes.reshape(-1, 4), 0, np.maximum(most, 0)).reshape(boxes.shape)


def bbox_overlaps(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Intersection over union of boxes (N, 4) and others (M, 4); (N, M)."""
    shared = _common_length(boxes, others, 0) * _common_length(boxes, others, 1)
    return shared / (_areas(boxes)[:, None] + _areas(others)[None] - shared)


BLOCK = 256


def nms(detections: np.ndarray, threshold: float, most: int = 0) -> np.ndarray:
    """Indices of the detections (N, 5) that no better one overlaps by more than `threshold`.

    The fifth column is the score. The best come first; of equal ones, the earlier.
    With `most` above 0 the search ends at so many.
    """
    order = np.argsort(-detections[:, 4], kind="stable")
    kept = np.zeros(0, int)
    # A block of the best ones that are left is searched at once. Then those that it suppresses go.
    while len(order) and not (most > 0 and len(kept) >= most):
        block, order = order[:BLOCK], order[BLOCK:]
        block = block[
            _unsuppressed(bbox_overlaps(detections[block], detections[block]) > threshold)
        ]
        kept = np.concatenate([kept, block])
        if len(order):
            overlaps = bbox_overlaps(detections[block], detections[order])
            order = order[~(overlaps > threshold).any(axis=0)]
    return kept[:most] if most > 0 else kept


def _unsuppressed(over: np.ndarray) -> np.ndarray:
    """Which of N boxes are left, where over (N, N) says which overlap too much; the best first."""
    left = np.ones(len(over), bool)
    for i, row in enumerate(over):
        if left[i]:
            left[i + 1 :] &= ~row[i + 1 :]
    return left


def _common_length(boxes: np.ndarray, others: np.ndarray, axis: int) -> np.ndarray:
    """The length that each box (N, 4) shares with each other one (M, 4) along x or y, (N, M)."""
    first = np.maximum(boxes[:, None, axis], others[None, :, axis])
    last = np.minimum(boxes[:, None, axis + 2], others[None, :, axis + 2])
    return np.maximum(last - first + 1, 0)


def _sides_and_centres(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sides = boxes[:, 2:4] - boxes[:, :2] + 1
    return sides, boxes[:, :2] + sides * sides.dtype.type(0.5)


def _areas(boxes: np.ndarray) -> np.ndarray:
    return (boxes[:, 2] - boxes[:, 0] + 1) * (boxes[:, 3] - boxes[:, 1] + 1)
