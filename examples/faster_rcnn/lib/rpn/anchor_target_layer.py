"""What the region proposal net should have answered for each anchor."""

# A anchors at a place, H W of the feature map, G boxes, I anchors inside the picture

from __future__ import annotations

import caffe
import numpy as np

from fast_rcnn.bbox_transform import bbox_overlaps, bbox_transform
from fast_rcnn.config import cfg
from fast_rcnn.sampling import generator
from fast_rcnn.settings import read_settings
from rpn.generate_anchors import RATIOS, SCALES, by_channel, generate_anchors, place_anchors


class AnchorTargetLayer(caffe.Layer):
    """Labels and targets of the anchors of one picture.

    Bottom: scores (1, 2 * A, H, W), of which only the shape counts; boxes (G, 5), the class last;
            im_info (1, 3); the picture, which is not looked at.
    Top:    labels (1, 1, A * H, W): 1 object, 0 none, -1 not counted;
            targets, inside weights and outside weights, each (1, 4 * A, H, W).
    param_str: feat_stride; scales, ratios and allowed_border if they differ from py-faster-rcnn's.
    """

    def setup(self, bottom, top) -> None:
        given = read_settings(self.param_str)
        self.stride = given["feat_stride"]
        self.border = given.get("allowed_border", 0)
        self.anchors = generate_anchors(
            ratios=given.get("ratios", RATIOS), scales=given.get("scales", SCALES)
        )
        self.random = generator()
        height, width = bottom[0].data.shape[2:]
        top[0].reshape(1, 1, len(self.anchors) * height, width)
        for blob in top[1:]:
            blob.reshape(1, 4 * len(self.anchors), height, width)

    def reshape(self, bottom, top) -> None:
        pass  # forward does it

    def forward(self, bottom, top) -> None:
        height, width = bottom[0].data.shape[2:]
        boxes = bottom[1].data.reshape(-1, 5)
        picture = bottom[2].data[0, :2]
        anchors = place_anchors(self.anchors, height, width, self.stride)
        inside = np.flatnonzero(
            (anchors[:, :2] >= -self.border).all(axis=1)
            & (anchors[:, 2:] < picture[::-1] + self.border).all(axis=1)
        )
        found, targets = label_anchors(anchors[inside], boxes, self.random)
        labels = np.full(len(anchors), -1.0)
        labels[inside] = found
        values = np.zeros((3, len(anchors), 4))
        values[0, inside] = targets
        values[1, labels == 1] = cfg.TRAIN.RPN_BBOX_INSIDE_WEIGHTS
        values[2] = outside_weights(labels)[:, None]
        made = [by_channel(labels, height, width).reshape(1, 1, -1, width)]
        made += [by_channel(value, height, width) for value in values]
        for blob, value in zip(top, made):
            blob.reshape(*value.shape)
            blob.data[...] = value

    def backward(self, top, propagate_down, bottom) -> None:
        pass  # targets have no gradient


def label_anchors(
    anchors: np.ndarray, boxes: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Labels (I,) of anchors (I, 4) inside the picture, and their offsets (I, 4) to their boxes."""
    labels = np.full(len(anchors), -1.0)
    if not len(boxes) or not len(anchors):
        labels[:] = 0
        keep_some(labels, random)
        return labels, np.zeros((len(anchors), 4))
    overlaps = bbox_overlaps(anchors, boxes)
    best = overlaps.max(axis=1)
    negative = best < cfg.TRAIN.RPN_NEGATIVE_OVERLAP
    # The best anchors of a box count, however bad. py-faster-rcnn counts all anchors for a box
    # that none overlaps.
    best_of_box = overlaps.max(axis=0)
    positive = ((overlaps == best_of_box) & (best_of_box > 0)).any(axis=1)
    positive |= best >= cfg.TRAIN.RPN_POSITIVE_OVERLAP
    first, second = (
        (positive, negative) if cfg.TRAIN.RPN_CLOBBER_POSITIVES else (negative, positive)
    )
    labels[first] = first is positive
    labels[second] = second is positive
    keep_some(labels, random)
    targets = bbox_transform(anchors, boxes[overlaps.argmax(axis=1), :4])
    if cfg.TRAIN.RPN_NORMALIZE_TARGETS:
        targets = (targets - cfg.TRAIN.RPN_NORMALIZE_MEANS) / cfg.TRAIN.RPN_NORMALIZE_STDS
    return labels, targets


def keep_some(labels: np.ndarray, random: np.random.Generator) -> None:
    """Set labels to -1 until RPN_BATCHSIZE are left, RPN_FG_FRACTION of them 1 at most."""
    room = cfg.TRAIN.RPN_BATCHSIZE
    for label, most in ((1, int(cfg.TRAIN.RPN_FG_FRACTION * room)), (0, room)):
        places = np.flatnonzero(labels == label)
        if label == 0:
            most -= int((labels == 1).sum())
        if len(places) > most:
            labels[random.choice(places, len(places) - most, replace=False)] = -1


def outside_weights(labels: np.ndarray) -> np.ndarray:
    """The weight of each anchor in the loss of the offsets.

    It is one by the number of anchors that count.
    With RPN_POSITIVE_WEIGHT positive ones share that, and negative ones the rest.
    """
    weights = np.zeros(len(labels))
    share = cfg.TRAIN.RPN_POSITIVE_WEIGHT
    counted = labels >= 0
    if share < 0:
        weights[counted] = 1 / max(counted.sum(), 1)
        return weights
    for label, part in ((1, share), (0, 1 - share)):
        weights[labels == label] = part / max((labels == label).sum(), 1)
    return weights
