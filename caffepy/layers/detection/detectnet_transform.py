"""DetectNet's pictures and boxes, changed at random; the boxes become a grid of targets."""

# N pictures, H W picture, B boxes, P planes, GH GW cells

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from caffepy import log
from caffepy.data.detectnet_augmentation import Augmentation, draw_augmentation
from caffepy.data.detectnet_coverage import Coverage
from caffepy.data.mean_file import read_mean
from caffepy.errors import DataError
from caffepy.layers.common.boxes import Floats, on_host
from caffepy.layers.core.base import TRAIN, Run, Shape, exactly
from caffepy.layers.core.own_stream import OwnStreamLayer
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Device, Gradients

ROW = 16
"""Numbers of a box: x, y, width, height, angle, class and others that have no effect."""
CLASS = 5
MEANS = ("mean_file", "mean_value")
SSD_FIELDS = ("resize_param", "noise_param", "emit_constraint", "distort_param", "expand_param")


@register_layer("DetectNetTransformation")
class DetectNetTransformationLayer(OwnStreamLayer):
    """Pictures changed at random, their boxes on a grid.  Caffe type ``DetectNetTransformation``.

    Bottom: pictures (N, 3, H, W) float, 0 to 255, blue first; boxes (N, 1, 1 + B, 16) float, as
            DIGITS writes them: a row with their number and 16, then a row for each box: x, y,
            width, height in pixels, angle, class, ...
    Top:    pictures (N, 3, image_size_y, image_size_x), less the mean; zeros where a crop reaches
            beyond the picture. [1] (N, P, GH, GW) with GH and GW = image_size / stride; the planes
            are: foreground; x1, y1, x2, y2 of the box from the cell's corner; 1 / width and 1 /
            height; stride^2 / (covered area), at least 1 unless obj_norm; the coverage of each
            class. All are 0 in cells that no box covers. In TEST pictures are only resized.
    Params: none
    Proto:  detectnet_groundtruth_param { stride, scale_cvg, gridbox_type, max_cvg_len, min_cvg_len,
            coverage_type, image_size_x, image_size_y, obj_norm, crop_bboxes, object_class (src,
            dst; none: 1, 0) }, detectnet_augmentation_param { crop_prob, shift_x, shift_y,
            scale_prob, scale_min, scale_max, flip_prob, rotation_prob, max_rotate_degree,
            hue_rotation_prob, hue_rotation, desaturation_prob, desaturation_max }, transform_param
            { mean_file (resized to the pictures), else mean_value }
    Differs from torch: no counterpart. Computed on the host, from a random stream of its own. No
            gradient.
    Source: NVIDIA Caffe, detectnet_transform_layer of 0.17, as it computes on the CPU; on a GPU it
            resizes by other splines
    """

    fork_fields = frozenset(
        {
            "LayerParameter.detectnet_groundtruth_param",
            "LayerParameter.detectnet_augmentation_param",
        }
    )
    bottoms = exactly(2)
    tops = exactly(2)
    gradients = Gradients(backward=False, unforced=(0, 1))
    device = Device(on_host=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param
        try:
            self.coverage = Coverage(p.detectnet_groundtruth_param)
        except DataError as error:
            raise self.fail(str(error)) from error
        self.crop = (
            int(p.detectnet_groundtruth_param.image_size_y),
            int(p.detectnet_groundtruth_param.image_size_x),
        )
        self.draws = self.phase == TRAIN
        change = p.detectnet_augmentation_param
        means = p.transform_param.mean_value
        if not p.transform_param.mean_file and len(means) not in (0, 1, 3):
            raise self.fail(
                f"transform_param has {len(means)} mean_values; needed: 1, or 3 for the 3 channels"
            )
        idle = [
            f"transform_param.{field.name}"
            for field, _ in p.transform_param.ListFields()
            if field.name not in MEANS
        ]
        idle += [
            f"detectnet_augmentation_param.{field.name}"
            for field, _ in change.ListFields()
            if field.name in SSD_FIELDS
        ]
        for name in idle:
            log.warning(
                "detectnet_transform_layer.cpp:0",
                f"layer '{p.name}': {name} has no effect, as in NVIDIA Caffe",
            )

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The sizes that the prototxt gives."""
        pictures, boxes = bottoms
        if len(pictures) != 4 or pictures[1] != 3 or not all(pictures[2:]):
            raise self.fail(f"bottom 0 is {pictures}; needed: pictures (number, 3, height, width)")
        change = self.param.detectnet_augmentation_param
        height, width = pictures[2:]
        scales = (change.scale_min, change.scale_max)
        fits = all(
            min(height, width) * scale >= 0.5 and 3 * height * width * scale * scale < 2**31
            for scale in scales
        )
        if self.phase == TRAIN and change.scale_prob > 0 and not fits:
            raise self.fail(
                f"scale_min is {scales[0]:g} and scale_max {scales[1]:g};"
                " needed: so much that a pixel is left, so little that the pixels"
                " can be counted in 31 bits"
            )
        if len(boxes) != 4 or boxes[:2] != (pictures[0], 1) or boxes[2] < 1 or boxes[3] != ROW:
            raise self.fail(
                f"bottom 1 is {boxes}; needed: ({pictures[0]}, 1, 1 + boxes, {ROW}),"
                " the boxes of each picture as DIGITS writes them"
            )
        return ((pictures[0], 3, *self.crop), (pictures[0], *self.coverage.shape))

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        pictures, labels = (on_host(bottom) for bottom in bottoms)
        size = (pictures.shape[2], pictures.shape[3])
        mean = self._mean(size, run)
        images = np.empty((len(pictures), 3, *self.crop), np.float32)
        grids = np.empty((len(pictures), *self.coverage.shape), np.float32)
        for i, picture in enumerate(pictures):
            rows = self._rows(labels[i, 0], i)
            change = self._change(size, run)
            images[i] = change.picture(
                np.ascontiguousarray(picture.transpose(1, 2, 0)), mean
            ).transpose(2, 0, 1)
            self.coverage.fill(change.boxes(rows[:, :4], size), rows[:, CLASS], grids[i])
        return torch.from_numpy(images).to(bottoms[0]), torch.from_numpy(grids).to(bottoms[1])

    def _change(self, size: tuple[int, int], run: Run) -> Augmentation:
        if self.phase != TRAIN:
            return Augmentation(self.crop, self.crop)
        return draw_augmentation(
            self.param.detectnet_augmentation_param, self.stream(run), size, self.crop
        )

    def _rows(self, label: Floats, item: int) -> Floats:
        """The boxes (B, 16) of one picture."""
        number, length = label[0, :2]
        if length != ROW or not 0 <= number < len(label) or not np.isfinite(label).all():
            raise self.fail(
                f"the boxes of item {item} begin with {number:g} and {length:g};"
                f" needed: their number, up to {len(label) - 1}, {ROW}, and"
                " finite numbers, as DIGITS writes them"
            )
        return label[1 : 1 + int(number)]

    def _mean(self, size: tuple[int, int], run: Run) -> Floats:
        """The mean to subtract, (3,) or (H, W, 3), from 0 to 1."""
        import cv2

        p = self.param.transform_param
        if not p.mean_file:
            values = np.array(p.mean_value or [0], np.float32) / np.float32(255)
            return np.broadcast_to(values, 3)
        mean: Floats | None = run.state.get("mean")
        if mean is None or mean.shape[:2] != size:
            planes = read_mean(p.mean_file)
            if len(planes) != 3:
                raise self.fail(f"mean_file '{p.mean_file}' has {len(planes)} channels; needed: 3")
            image = np.ascontiguousarray(planes.transpose(1, 2, 0))
            mean = np.asarray(
                cv2.resize(image, size[::-1], interpolation=cv2.INTER_CUBIC)
            ) * np.float32(1 / 255)
            run.state["mean"] = mean
        return mean
