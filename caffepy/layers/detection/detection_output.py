"""SSD's offsets and scores become boxes."""

# N batch, P priors, C classes, L classes of locations (1 if shared), D detections, K classes
# without the background, M candidates of each

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from caffepy.data.detections import DetectionFiles
from caffepy.layers.common.boxes import (
    Floats,
    areas,
    class_count,
    decode,
    in_pixels,
    overlaps,
    priors_and_variances,
    suppress,
    unsuppressed_together,
)
from caffepy.layers.core.base import Layer, Run, Shape, between, count, is_readable
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Device, Gradients
from caffepy.proto import caffe_pb2

FIELDS = (
    "num_classes share_location background_label_id nms_param code_type keep_top_k"
    " variance_encoded_in_target confidence_threshold"
    " save_output_param objectness_score"
)


def check_predictions(
    layer: Layer, bottoms: Sequence[Shape], classes: int, location_classes: int
) -> int:
    """Check that locations, scores and priors, the first three bottoms, belong together.

    Returns the number of priors. LayerError if they do not.
    """
    locations, scores, priors = bottoms[:3]
    if len(priors) != 3 or priors[:2] != (1, 2) or priors[2] % 4:
        raise layer.fail(f"bottom 2 is {priors}; needed: (1, 2, 4 * priors), as PriorBox makes it")
    number = priors[2] // 4
    for i, shape, needed in (
        (0, locations, number * location_classes * 4),
        (1, scores, number * classes),
    ):
        if len(shape) < 2 or count(shape, 1) != needed:
            what = "4 offsets for each prior" if i == 0 else "a score for each prior and class"
            raise layer.fail(
                f"bottom {i} is {shape}; needed: (N, {needed}), {what} ({number} priors,"
                f" {classes} classes)"
            )
    if locations[0] != scores[0]:
        raise layer.fail(
            f"bottom 0 is {locations} and bottom 1 {scores}; needed: the same first dim"
        )
    return number


def check_first_stage(
    layer: Layer, bottoms: Sequence[Shape], first: int, *, priors: int, shared: bool
) -> None:
    """Check the bottoms from ``first`` on, the outputs of RefineDet's first stage.

    LayerError unless they are scores (N, 2P) and offsets (N, 4P).
    """
    for i, (shape, each) in enumerate(zip(bottoms[first:], (2, 4)), first):
        if len(shape) < 2 or shape[0] != bottoms[0][0] or count(shape, 1) != priors * each:
            what = "a score for background and object" if each == 2 else "4 offsets"
            raise layer.fail(
                f"bottom {i} is {shape}; needed: ({bottoms[0][0]}, {priors * each}),"
                f" {what} for each of {priors} priors"
            )
    if len(bottoms) > first + 1 and not shared:
        raise layer.fail(
            f"share_location is false beside offsets of a first stage, bottom {first + 1};"
            " needed: share_location"
        )


@register_layer("DetectionOutput")
class DetectionOutputLayer(Layer):
    """Boxes with labels and scores after suppression.  Caffe type ``DetectionOutput``.

    Bottom: offsets (N, 4 * P * L) float; scores (N, P * C); priors (1, 2, 4 * P), as PriorBox makes
            them.
            [3] scores of RefineDet's first stage (N, P * 2); where the score of an object is below
            objectness_score, class 0 gets score 1 and all others 0
            [4] offsets of that stage (N, P * 4); they move the priors first
    Top:    (1, 1, D, 7) float: item, label, score, xmin, ymin, xmax, ymax; sorted by item, label,
            falling score. D depends on the values (the shape rule says 1). If no item has a
            detection, each item has a row of its number and six times -1.
    Params: none
    Proto:  detection_output_param { num_classes, share_location, background_label_id, nms_param {
            nms_threshold, top_k, eta }, code_type, keep_top_k (of an item, over all labels),
            variance_encoded_in_target, confidence_threshold (to be exceeded), save_output_param {
            output_directory, output_name_prefix, output_format, label_map_file, name_size_file,
            num_test_image, resize_param }, objectness_score }; visualize and what belongs to it
            have no effect
    Differs from torch: no counterpart. No gradient. With a GPU the host waits once, for the number
            of detections. Without nms_param's top_k, or with its eta, the host computes them all.
    Source: SSD, detection_output_layer; Liu et al. 2016. With bottoms 3 and 4: RefineDet; Zhang et
            al. 2018
    """

    fork_fields = frozenset(
        {
            "LayerParameter.detection_output_param",
            *(f"DetectionOutputParameter.{name}" for name in FIELDS.split()),
        }
    )
    bottoms = between(3, 5)
    gradients = Gradients(backward=False)
    device = Device(on_host=True, shaped_by_values=True)

    @classmethod
    def remembers(cls, param: caffe_pb2.LayerParameter) -> bool:
        """It does if it writes files, which go on from picture to picture."""
        return bool(param.detection_output_param.save_output_param.output_directory)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.detection_output_param
        self.classes = class_count(self, p)
        if p.nms_param.nms_threshold < 0 or not 0 < p.nms_param.eta <= 1:
            raise self.fail(
                f"nms_threshold is {p.nms_param.nms_threshold:g} and eta {p.nms_param.eta:g};"
                " needed: 0 or more, and above 0 up to 1"
            )
        if p.share_location and p.background_label_id < 0:
            raise self.fail(
                "background_label_id is -1 with share_location; needed: a label for the background,"
                " or share_location false"
            )
        save = p.save_output_param
        self.files = (
            DetectionFiles(save, background=p.background_label_id)
            if save.output_directory
            and save.label_map_file
            and save.name_size_file
            and not self.offline
            else None
        )
        self.location_classes = 1 if p.share_location else self.classes
        self.top_k = int(p.nms_param.top_k) if p.nms_param.HasField("top_k") else -1
        self.least = p.confidence_threshold if p.HasField("confidence_threshold") else -math.inf

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The shape if there is one detection."""
        priors = check_predictions(self, bottoms, self.classes, self.location_classes)
        check_first_stage(
            self, bottoms, 3, priors=priors, shared=self.param.detection_output_param.share_location
        )
        return ((1, 1, 1, 7),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Item by item and class by class on the CPU, all at once on a GPU."""
        p = self.param.detection_output_param
        together = not is_readable(bottoms[0]) and self.top_k > -1 and p.nms_param.eta == 1
        given = [
            bottom.detach().float() if together else bottom.detach().float().cpu()
            for bottom in bottoms
        ]
        priors, variances = priors_and_variances(given[2])
        offsets = given[0].reshape(len(given[0]), len(priors), self.location_classes, 4)
        scores = given[1].reshape(len(given[1]), len(priors), self.classes)
        if len(bottoms) > 3:
            nothing = given[3].reshape(len(scores), -1, 2)[..., 1:] < p.objectness_score
            scores = torch.where(
                nothing, (torch.arange(self.classes, device=scores.device) == 0).float(), scores
            )
        if len(bottoms) > 4:
            moved = given[4].reshape(len(scores), 1, -1, 4)
            priors = decode(
                moved, priors, variances, p.code_type, in_target=p.variance_encoded_in_target
            )
        boxes = decode(
            offsets.transpose(1, 2),
            priors,
            variances,
            p.code_type,
            in_target=p.variance_encoded_in_target,
        )
        detect = self._together if together else self._one_by_one
        rows = detect(boxes, scores)
        if self.files:
            self._save(rows.cpu().numpy(), len(scores))
        if not len(rows):
            rows = torch.full((len(scores), 7), -1.0, device=rows.device)
            rows[:, 0] = torch.arange(len(scores), device=rows.device)
        return (rows.to(bottoms[0]).view(1, 1, -1, 7),)

    def _save(self, rows: Floats, items: int) -> None:
        """Hand the rows (D, 7) of all items to the files."""
        assert self.files is not None
        save = self.param.detection_output_param.save_output_param
        resize = save.resize_param if save.HasField("resize_param") else None
        for item in range(items):
            own = rows[rows[:, 0] == item]
            picture = self.files.picture
            boxes = in_pixels(own[:, 3:], picture.height, picture.width, resize)
            self.files.add(np.concatenate((own[:, 1:3], boxes), 1).tolist())

    def _one_by_one(self, boxes: Tensor, scores: Tensor) -> Tensor:
        """Rows (D, 7) from boxes (N, L, P, 4) and scores (N, P, C) on the CPU.

        It is fast as only few boxes of a class have a score above the threshold.
        """
        p = self.param.detection_output_param
        rows_of_items = [torch.empty(0, 7)]
        for item, (own, by_label) in enumerate(zip(boxes, scores.transpose(1, 2).contiguous())):
            rows = [torch.empty(0, 7)]
            for label, score in enumerate(by_label):
                if label == p.background_label_id:
                    continue
                places = own[0 if p.share_location else label]
                candidates = (score > self.least).nonzero()[:, 0]
                kept = candidates[
                    suppress(places[candidates], score[candidates], p.nms_param, top_k=self.top_k)
                ]
                head = torch.tensor([item, label], dtype=torch.float32).expand(len(kept), 2)
                rows.append(torch.cat((head, score[kept, None], places[kept]), 1))
            every = torch.cat(rows)
            if -1 < p.keep_top_k < len(every):
                every = every[(-every[:, 2]).argsort(stable=True)[: p.keep_top_k].sort().values]
            rows_of_items.append(every)
        return torch.cat(rows_of_items)

    def _together(self, boxes: Tensor, scores: Tensor) -> Tensor:
        """The same rows, computed on a GPU without a wait for values until the end."""
        p = self.param.detection_output_param
        background = int(self.param.detection_output_param.background_label_id)
        labels = torch.arange(self.classes, device=scores.device)
        if 0 <= background < self.classes:
            labels = labels[:-1] + (labels[:-1] >= background)
        score = scores.transpose(1, 2)[:, labels]  # (N, K, P)
        order = torch.where(score > self.least, -score, torch.inf).argsort(dim=2, stable=True)[
            ..., : self.top_k
        ]
        score = score.gather(2, order)
        boxes = boxes.expand(-1, len(labels), -1, -1) if p.share_location else boxes[:, labels]
        boxes = boxes.gather(2, order.unsqueeze(3).expand(-1, -1, -1, 4))  # (N, K, M, 4)
        # Item by item: the overlaps of all items take much more memory than the comparisons.
        over = torch.stack(
            [
                overlaps(own.unsqueeze(2), own.unsqueeze(1)) > p.nms_param.nms_threshold
                for own in boxes
            ]
        )

        def best(kept: Tensor) -> Tensor:
            """Which of the ``kept`` (N, K, M) are in the keep_top_k of their item, (N, K * M)."""
            kept = kept.flatten(1)
            if p.keep_top_k < 0:
                return kept
            place = (
                torch.where(kept, -score.flatten(1), torch.inf)
                .argsort(dim=1, stable=True)
                .argsort(1)
            )
            return kept & (place < int(p.keep_top_k))

        kept, (number,) = unsuppressed_together(
            over, (score > self.least) & (areas(boxes) >= 0), lambda kept: best(kept).sum()
        )
        items = torch.arange(len(scores), device=scores.device).view(-1, 1, 1)
        heads = torch.stack(
            (items.expand_as(score).float(), labels.unsqueeze(1).expand_as(score).float(), score), 3
        )
        kept_first = (~best(kept)).flatten().byte().argsort(stable=True)
        rows: Tensor = torch.cat((heads, boxes), 3).view(-1, 7)[kept_first[:number]]
        return rows
