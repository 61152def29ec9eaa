"""From SSD's offsets and scores to boxes."""

# N batch, P priors, C classes, L classes of locations (1 if shared), D detections

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from caffepy.data.detections import DetectionFiles
from caffepy.layers.base import Layer, Run, Shape, between, count
from caffepy.layers.boxes import Floats, class_count, decode, in_pixels, on_host, priors_and_variances, suppress
from caffepy.layers.registry import register_layer

FIELDS = (
    "num_classes share_location background_label_id nms_param code_type keep_top_k variance_encoded_in_target confidence_threshold"
    " save_output_param objectness_score"
)


def check_predictions(layer: Layer, bottoms: Sequence[Shape], classes: int, location_classes: int) -> int:
    """The number of priors; LayerError unless locations, scores and priors (the first three bottoms) go together."""
    locations, scores, priors = bottoms[:3]
    if len(priors) != 3 or priors[:2] != (1, 2) or priors[2] % 4:
        raise layer.fail(f"bottom 2 is {priors}; needed: (1, 2, 4 * priors), as PriorBox makes it")
    number = priors[2] // 4
    for i, shape, needed in ((0, locations, number * location_classes * 4), (1, scores, number * classes)):
        if len(shape) < 2 or count(shape, 1) != needed:
            what = "4 offsets for each prior" if i == 0 else "a score for each prior and class"
            raise layer.fail(f"bottom {i} is {shape}; needed: (N, {needed}), {what} ({number} priors, {classes} classes)")
    if locations[0] != scores[0]:
        raise layer.fail(f"bottom 0 is {locations} and bottom 1 {scores}; needed: the same first dim")
    return number


def check_first_stage(layer: Layer, bottoms: Sequence[Shape], first: int, *, priors: int, shared: bool) -> None:
    """LayerError unless what RefineDet's first stage says of N items, from bottom ``first`` on, is (N, 2P) scores and (N, 4P) offsets."""
    for i, (shape, each) in enumerate(zip(bottoms[first:], (2, 4)), first):
        if len(shape) < 2 or shape[0] != bottoms[0][0] or count(shape, 1) != priors * each:
            what = "a score for background and object" if each == 2 else "4 offsets"
            raise layer.fail(f"bottom {i} is {shape}; needed: ({bottoms[0][0]}, {priors * each}), {what} for each of {priors} priors")
    if len(bottoms) > first + 1 and not shared:
        raise layer.fail(f"share_location is false beside offsets of a first stage, bottom {first + 1}; needed: share_location")


@register_layer("DetectionOutput")
class DetectionOutputLayer(Layer):
    """Boxes with their labels and scores, of overlapping ones the best.  Caffe type ``DetectionOutput``.

    Bottom: offsets (N, 4 * P * L) float; scores (N, P * C); priors (1, 2, 4 * P), as PriorBox makes them.
            [3] RefineDet's first stage: scores (N, P * 2); where that of an object is below objectness_score, class 0 has score 1, others 0
            [4] its offsets (N, P * 4), by which the priors are moved first
    Top:    (1, 1, D, 7) float: item, label, score, xmin, ymin, xmax, ymax; by item, label, falling score. D depends on the values (the
            shape rule says 1). Nothing found in any item: for each item a row of its number and -1.
    Params: none
    Proto:  detection_output_param { num_classes, share_location, background_label_id, nms_param { nms_threshold, top_k, eta }, code_type,
            keep_top_k (of an item, over all labels), variance_encoded_in_target, confidence_threshold (to be exceeded), save_output_param
            { output_directory, output_name_prefix, output_format, label_map_file, name_size_file, num_test_image, resize_param },
            objectness_score }; visualize is passed over
    Differs from torch: no counterpart. Computed on the host. No gradient.
    Source: SSD, detection_output_layer; Liu et al. 2016. RefineDet's, with bottoms 3 and 4; Zhang et al. 2018
    """

    fork_fields = frozenset({"LayerParameter.detection_output_param", *(f"DetectionOutputParameter.{name}" for name in FIELDS.split())}) | {
        f"DetectionOutputParameter.{name}" for name in ("visualize", "visualize_threshold", "save_file")
    }
    bottoms = between(3, 5)
    no_gradient = None
    on_host = True
    shaped_by_values = True

    @classmethod
    def remembers(cls, param: Any) -> bool:
        """The files that it writes go on from picture to picture."""
        return bool(param.detection_output_param.save_output_param.output_directory)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Read the fields."""
        p = self.param.detection_output_param
        self.classes = class_count(self, p)
        if p.nms_param.nms_threshold < 0 or not 0 < p.nms_param.eta <= 1:
            raise self.fail(
                f"nms_threshold is {p.nms_param.nms_threshold:g} and eta {p.nms_param.eta:g}; needed: 0 or more, and above 0 up to 1"
            )
        if p.share_location and p.background_label_id < 0:
            raise self.fail("background_label_id is -1 with share_location; needed: a label for the background, or share_location false")
        save = p.save_output_param
        self.files = (
            DetectionFiles(save, background=p.background_label_id)
            if save.output_directory and save.label_map_file and save.name_size_file and not self.offline
            else None
        )
        self.location_classes = 1 if p.share_location else self.classes

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """As if there were one detection."""
        priors = check_predictions(self, bottoms, self.classes, self.location_classes)
        check_first_stage(self, bottoms, 3, priors=priors, shared=self.param.detection_output_param.share_location)
        return ((1, 1, 1, 7),)

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """Item by item and class by class."""
        p = self.param.detection_output_param
        priors, variances = priors_and_variances(bottoms[2])
        offsets = on_host(bottoms[0]).reshape(len(bottoms[0]), len(priors), self.location_classes, 4)
        scores = on_host(bottoms[1]).reshape(len(bottoms[1]), len(priors), self.classes)
        if len(bottoms) > 3:
            nothing = on_host(bottoms[3]).reshape(len(scores), -1, 2)[..., 1:] < np.float32(p.objectness_score)
            scores = np.where(nothing, np.eye(1, self.classes, dtype=np.float32), scores)
        if len(bottoms) > 4:
            moved = on_host(bottoms[4]).reshape(len(scores), 1, -1, 4)
            priors = decode(moved, priors, variances, p.code_type, in_target=p.variance_encoded_in_target)
        boxes = decode(offsets.transpose(0, 2, 1, 3), priors, variances, p.code_type, in_target=p.variance_encoded_in_target)
        found = [self._detections(i, boxes[i], scores[i]) for i in range(len(scores))]
        for own in found if self.files else ():
            self._save(own)
        rows = np.concatenate(found) if any(map(len, found)) else _nothing(len(scores))
        return (torch.from_numpy(rows).to(bottoms[0]).view(1, 1, -1, 7),)

    def _save(self, rows: Floats) -> None:
        """Hand the rows (D, 7) of one item to the files."""
        assert self.files is not None
        save, picture = self.param.detection_output_param.save_output_param, self.files.picture
        resize = save.resize_param if save.HasField("resize_param") else None
        boxes = in_pixels(rows[:, 3:], picture.height, picture.width, resize)
        self.files.add(np.concatenate((rows[:, 1:3], boxes), 1).tolist())

    def _detections(self, item: int, boxes: Floats, scores: Floats) -> Floats:
        """Rows (D, 7) of one item, from boxes (L, P, 4) and scores (P, C)."""
        p = self.param.detection_output_param
        top_k = int(p.nms_param.top_k) if p.nms_param.HasField("top_k") else -1
        least = np.float32(p.confidence_threshold if p.HasField("confidence_threshold") else -np.inf)
        rows = [np.empty((0, 7), np.float32)]
        for label in range(self.classes):
            if label == p.background_label_id:
                continue
            own = boxes[0 if p.share_location else label]
            candidates = np.nonzero(scores[:, label] > least)[0]
            kept = candidates[suppress(own[candidates], scores[candidates, label], p.nms_param, top_k=top_k)]
            head = np.tile(np.array([item, label], np.float32), (len(kept), 1))
            rows.append(np.concatenate((head, scores[kept, label : label + 1], own[kept]), 1))
        every = np.concatenate(rows)
        if -1 < p.keep_top_k < len(every):
            best = np.argsort(-every[:, 2], kind="stable")[: p.keep_top_k]
            every = every[best[np.argsort(every[best, 1], kind="stable")]]
        return every


def _nothing(items: int) -> Floats:
    rows = np.full((items, 7), -1, np.float32)
    rows[:, 0] = range(items)
    return rows
