"""Detection with a trained net."""

# R regions, K classes with the background, D detections

from __future__ import annotations

from collections.abc import Sequence

import caffe
import numpy as np

from datasets.pascal_voc import Entry
from datasets.voc_eval import voc_eval
from fast_rcnn.bbox_transform import bbox_transform_inv, clip_boxes, nms
from fast_rcnn.config import cfg
from roi_data_layer.layer import scaled


def im_detect(net: caffe.Net, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores (R, K) and boxes (R, 4 * K) of a picture (height, width, 3), BGR.

    The boxes are in pixels of the picture. With AGNOSTIC settings they are (R, 8).
    """
    data, scale = scaled(image, cfg.TEST.SCALES[0], cfg.TEST.MAX_SIZE)
    # PVANet has the scale once for each side
    columns = net.blobs["im_info"].data.shape[1]
    info = np.array([[*data.shape[2:], *[scale] * (columns - 2)]], np.float32)
    net.blobs["data"].reshape(*data.shape)
    net.blobs["im_info"].reshape(*info.shape)
    found = net.forward(data=data, im_info=info)
    regions = net.blobs["rois"].data.reshape(-1, 5)[:, 1:] / np.float32(scale)
    scores = found["cls_prob"].reshape(len(regions), -1)
    offsets = found["bbox_pred"].reshape(len(regions), -1)
    return scores.copy(), clip_boxes(bbox_transform_inv(regions, offsets), image.shape)


def detections(
    scores: np.ndarray, boxes: np.ndarray, least: float = 0.05, most: int = 100
) -> list[np.ndarray]:
    """For each class (D, 5), boxes and scores, after suppression within the class.

    The background has none. Of all classes together, the `most` best are left.
    """
    found = [np.zeros((0, 5), np.float32)]
    for label in range(1, scores.shape[1]):
        first = 4 if cfg.TEST.AGNOSTIC else 4 * label
        rows = scores[:, label] > least
        each = np.hstack([boxes[rows, first : first + 4], scores[rows, label, None]])
        found.append(each[nms(each, cfg.TEST.NMS)])
    all_scores = np.sort(np.concatenate([each[:, 4] for each in found]))
    if len(all_scores) > most:
        found = [each[each[:, 4] >= all_scores[-most]] for each in found]
    return found


def test_net(net: caffe.Net, entries: Sequence[Entry]) -> list[list[np.ndarray]]:
    """For each picture, for each class, (D, 5)."""
    return [detections(*im_detect(net, entry.read())) for entry in entries]


def average_precisions(
    found: Sequence[Sequence[np.ndarray]], entries: Sequence[Entry], use_07_metric: bool = True
) -> dict[str, float]:
    """The average precision of each class that the pictures have."""
    precisions = {}
    for label, name in enumerate(cfg.CLASSES, 1):
        mine = [each[label] for each in found]
        value = voc_eval(mine, entries, label, use_07_metric=use_07_metric)
        if not np.isnan(value):
            precisions[name] = value
    return precisions
