"""Which detections are right."""

# D detections, G objects, C classes, B classes but the background

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from caffepy.data.detections import Picture, read_pictures
from caffepy.layers.common.boxes import Floats, class_count, in_pixels, on_host, overlaps, scales
from caffepy.layers.core.base import Layer, Run, Shape, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches, Device, Gradients
from caffepy.proto import caffe_pb2


@register_layer("DetectionEvaluate")
class DetectionEvaluateLayer(Layer):
    """Detections as true or false positives, object counts.  Caffe type ``DetectionEvaluate``.

    Bottom: detections (1, 1, D, 7), as DetectionOutput makes them; objects (1, 1, G, 8), as
            AnnotatedData makes them; item -1 ends them.
    Top:    (1, 1, B + D, 5) float: a row for each class but the background: -1, label, number of
            objects, -1, -1. Then, sorted by item and label, a row for each detection: item, label,
            score, 1 if it is a true positive, 1 if it is a false positive. Detections with label -1
            are left out, so D depends on the values (the shape rule counts all).
    Params: none
    Proto:  detection_evaluate_param { num_classes, background_label_id, overlap_threshold,
            evaluate_difficult_gt, name_size_file, resize_param }
    Differs from torch: no counterpart. A detection belongs to the object that it overlaps most. Of
            several detections of an object the one with the highest score is a true positive and
            the others are false ones. With evaluate_difficult_gt false, detections of difficult
            objects are neither. With name_size_file boxes are in pixels, and both ends count for
            their sizes. Computed on the host. No gradient.
    Source: SSD, detection_evaluate_layer; Liu et al. 2016
    """

    fork_fields = frozenset({"LayerParameter.detection_evaluate_param"})
    bottoms = exactly(2)
    gradients = Gradients(backward=False)
    device = Device(on_host=True, shaped_by_values=True)
    batches = Batches(padding_rows=(1,))

    @classmethod
    def remembers(cls, param: caffe_pb2.LayerParameter) -> bool:
        """It may count the pictures, to find their sizes in name_size_file."""
        return True

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.detection_evaluate_param
        if p.overlap_threshold <= 0:
            raise self.fail(f"overlap_threshold is {p.overlap_threshold:g}; needed: above 0")
        self.labels = [
            label for label in range(class_count(self, p)) if label != p.background_label_id
        ]
        self.pictures = (
            read_pictures(p.name_size_file) if p.name_size_file and not self.offline else []
        )

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The shape if every row of bottom 0 is a detection."""
        for i, (shape, columns) in enumerate(zip(bottoms, (7, 8))):
            if len(shape) != 4 or shape[:2] != (1, 1) or shape[3] != columns:
                raise self.fail(f"bottom {i} is {shape}; needed: (1, 1, rows, {columns})")
        return ((1, 1, len(self.labels) + bottoms[0][2], 5),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The rows, item by item and label by label."""
        p = self.param.detection_evaluate_param
        detections = on_host(bottoms[0]).reshape(-1, 7)
        objects = on_host(bottoms[1]).reshape(-1, 8)
        objects = objects[: int((objects[:, 0] != -1).cumprod().sum())]
        for what, rows in (
            ("an object", objects),
            ("a detection", detections[detections[:, 1] >= 0]),
        ):
            if (rows[:, 1] == p.background_label_id).any():
                raise self.fail(
                    f"the label of {what} is {p.background_label_id}, the background's;"
                    " needed: another"
                )
        counted = objects if p.evaluate_difficult_gt else objects[objects[:, 7] == 0]
        judged = [
            [-1.0, label, float((counted[:, 1] == label).sum()), -1, -1] for label in self.labels
        ]
        for item in np.unique(detections[detections[:, 0] >= 0, 0]):
            own = detections[detections[:, 0] == item]
            seen = run.state["pictures"] = run.state.get("pictures", 0) + 1
            picture = self.pictures[(seen - 1) % len(self.pictures)] if self.pictures else None
            for label in np.unique(own[own[:, 1] >= 0, 1]):
                judged += self._rows(
                    own[own[:, 1] == label],
                    objects[(objects[:, 0] == item) & (objects[:, 1] == label)],
                    picture,
                )
        return (torch.tensor(judged, dtype=torch.float32).to(bottoms[0]).view(1, 1, -1, 5),)

    def _rows(
        self, detections: Floats, objects: Floats, picture: Picture | None
    ) -> Iterator[list[float]]:
        """A row for each detection of one label in one item."""
        p = self.param.detection_evaluate_param
        if not len(objects):
            yield from ([*map(float, row[:3]), 0, 1] for row in detections)
            return
        detections = detections[np.argsort(-detections[:, 2], kind="stable")]
        boxes = detections[:, 3:7]
        wanted = objects[:, 3:7]
        resize = p.resize_param if p.HasField("resize_param") else None
        if picture:
            boxes = in_pixels(boxes, picture.height, picture.width, resize)
            wanted = in_pixels(wanted, picture.height, picture.width, resize)
        extra = 1.0 if picture else 0.0
        # SSD clips scaled boxes to the picture, which computes their areas anew, without the last
        # pixel of each side.
        common = overlaps(
            torch.from_numpy(boxes[:, None]),
            torch.from_numpy(wanted[None]),
            extra=extra,
            extra_area=0.0 if scales(resize) else extra,
        )
        visited = set()
        for row, shared in zip(detections, common.numpy()):
            best = int(shared.argmax())
            true = false = 0
            if shared[best] < np.float32(p.overlap_threshold):
                false = 1
            elif p.evaluate_difficult_gt or not objects[best, 7]:
                true = int(best not in visited)
                false = int(best in visited)
                visited.add(best)
            yield [*map(float, row[:3]), true, false]
