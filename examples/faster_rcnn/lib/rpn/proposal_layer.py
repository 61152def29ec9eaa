"""Regions that may hold an object, by the region proposal net."""

# A anchors at a place, H W of the feature map, R regions

from __future__ import annotations

import caffe
import numpy as np

from fast_rcnn.bbox_transform import bbox_transform_inv, clip_boxes, nms
from fast_rcnn.config import cfg
from fast_rcnn.settings import read_settings
from rpn.generate_anchors import RATIOS, SCALES, by_place, generate_anchors, place_anchors


class ProposalLayer(caffe.Layer):
    """The best regions of one picture, by falling score.

    Bottom: probabilities (1, 2 * A, H, W), those of the background first; offsets (1, 4 * A, H, W);
            im_info (1, 3): height, width, scale of the picture.
    Top:    regions (R, 5): 0, x1, y1, x2, y2. [1] their scores (R, 1).
    param_str: feat_stride; scales and ratios if they differ from py-faster-rcnn's.
    """

    def setup(self, bottom, top) -> None:
        given = read_settings(self.param_str)
        self.stride = given["feat_stride"]
        self.anchors = generate_anchors(
            ratios=given.get("ratios", RATIOS), scales=given.get("scales", SCALES)
        )
        top[0].reshape(1, 5)
        if len(top) > 1:
            top[1].reshape(1, 1)

    def reshape(self, bottom, top) -> None:
        pass  # forward does it

    def forward(self, bottom, top) -> None:
        settings = cfg.TEST if self.phase == caffe.TEST else cfg.TRAIN
        height, width, scale = bottom[2].data[0, :3]
        scores = by_place(bottom[0].data[:, len(self.anchors) :], 1)
        offsets = by_place(bottom[1].data, 4)
        if self.phase == caffe.TRAIN and cfg.TRAIN.RPN_NORMALIZE_TARGETS:
            offsets = offsets * np.float32(cfg.TRAIN.RPN_NORMALIZE_STDS)
            offsets = offsets + np.float32(cfg.TRAIN.RPN_NORMALIZE_MEANS)
        rows, columns = bottom[0].data.shape[2:]
        anchors = place_anchors(self.anchors, rows, columns, self.stride)
        regions = clip_boxes(bbox_transform_inv(anchors, offsets), (height, width))
        sides = regions[:, 2:] - regions[:, :2] + 1
        large = np.flatnonzero((sides >= settings.RPN_MIN_SIZE * scale).all(axis=1))
        order = large[np.argsort(-scores[large, 0], kind="stable")]
        if settings.RPN_PRE_NMS_TOP_N > 0:
            order = order[: settings.RPN_PRE_NMS_TOP_N]
        found = np.hstack([regions[order], scores[order]])
        found = found[nms(found, settings.RPN_NMS_THRESH, settings.RPN_POST_NMS_TOP_N)]
        top[0].reshape(len(found), 5)
        top[0].data[:, 0] = 0
        top[0].data[:, 1:] = found[:, :4]
        if len(top) > 1:
            top[1].reshape(len(found), 1)
            top[1].data[...] = found[:, 4:]

    def backward(self, top, propagate_down, bottom) -> None:
        pass  # approximate joint training: regions count as given
