"""What the classifier of regions should have answered."""

# R regions, G boxes, S regions sampled, K classes with the background

from __future__ import annotations

import caffe
import numpy as np

from fast_rcnn.bbox_transform import bbox_overlaps, bbox_transform
from fast_rcnn.config import cfg
from fast_rcnn.sampling import generator
from fast_rcnn.settings import read_settings


class ProposalTargetLayer(caffe.Layer):
    """A sample of the regions of one picture, with labels and targets.

    Bottom: regions (R, 5), the picture's number first; boxes (G, 5), the class last.
    Top:    regions (S, 5, 1, 1); labels (S, 1, 1, 1); targets, inside weights and outside weights,
            each (S, 4 * K, 1, 1).
    param_str: num_classes, K; 2 where AGNOSTIC offsets serve all classes.
    """

    def setup(self, bottom, top) -> None:
        self.classes = read_settings(self.param_str)["num_classes"]
        self.random = generator()
        for blob, size in zip(top, (5, 1, *[4 * self.classes] * 3)):
            blob.reshape(1, size, 1, 1)

    def reshape(self, bottom, top) -> None:
        pass  # forward does it

    def forward(self, bottom, top) -> None:
        boxes = bottom[1].data.reshape(-1, 5)
        # the true boxes are regions, too
        own = np.hstack([np.zeros((len(boxes), 1), np.float32), boxes[:, :4]])
        regions = np.vstack([bottom[0].data.reshape(-1, 5), own])
        regions, labels, offsets = sample_regions(regions, boxes, self.random)
        targets, weights = spread(offsets, labels, self.classes)
        made = (regions, labels, targets, weights, weights > 0)
        for blob, value in zip(top, made):
            blob.reshape(len(regions), value.size // max(len(regions), 1), 1, 1)
            blob.data[...] = value.reshape(blob.data.shape)

    def backward(self, top, propagate_down, bottom) -> None:
        pass  # targets have no gradient


def sample_regions(
    regions: np.ndarray, boxes: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Regions (S, 5) of regions (R, 5), labels (S,), normalised offsets (S, 4) to their boxes.

    Those with an object come first: at most FG_FRACTION of BATCH_SIZE.
    """
    overlaps = bbox_overlaps(regions[:, 1:], boxes[:, :4])
    box = overlaps.argmax(axis=1)
    best = overlaps.max(axis=1)
    objects = np.flatnonzero(best >= cfg.TRAIN.FG_THRESH)
    others = np.flatnonzero((best < cfg.TRAIN.BG_THRESH_HI) & (best >= cfg.TRAIN.BG_THRESH_LO))
    size = cfg.TRAIN.BATCH_SIZE
    if size >= 0:
        objects = _some(objects, int(np.round(cfg.TRAIN.FG_FRACTION * size)), random)
        others = _some(others, size - len(objects), random)
    kept = np.concatenate([objects, others])
    labels = boxes[box[kept], 4]
    labels[len(objects) :] = 0
    offsets = bbox_transform(regions[kept, 1:], boxes[box[kept], :4])
    offsets = (offsets - cfg.TRAIN.BBOX_NORMALIZE_MEANS) / cfg.TRAIN.BBOX_NORMALIZE_STDS
    return regions[kept], labels, offsets


def spread(offsets: np.ndarray, labels: np.ndarray, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Offsets (S, 4) in the columns of their class, (S, 4 * K), and the weights there."""
    targets = np.zeros((len(labels), classes, 4), np.float32)
    weights = np.zeros_like(targets)
    rows = np.flatnonzero(labels > 0)
    columns = np.ones(len(rows), int) if cfg.TRAIN.AGNOSTIC else labels[rows].astype(int)
    targets[rows, columns] = offsets[rows]
    weights[rows, columns] = cfg.TRAIN.BBOX_INSIDE_WEIGHTS
    return targets.reshape(len(labels), -1), weights.reshape(len(labels), -1)


def _some(places: np.ndarray, most: int, random: np.random.Generator) -> np.ndarray:
    if len(places) <= most:
        return places
    return random.choice(places, most, replace=False)
