"""Transformations of images and of their pixels' labels, for ImageSegData and its relatives."""

# C channels, H W image, h w output (the crop, or the image's own size)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from caffepy.data import opencv
from caffepy.data.cut_windows import cut_window
from caffepy.data.opencv import Pixels
from caffepy.data.transformer import TRAIN, Floats, Transformer, TransformSpec
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

CROPS = (("crop_size", "crop_size"), ("crop_height", "crop_width"), ("crop_h", "crop_w"))
FIELDS = ("scale_factors", "crop_height", "crop_width", "crop_h", "crop_w")
"""Fields of transform_param that DeepLab's and PSPNet's Caffe added for this layer."""


def crop_of(transform: caffe_pb2.TransformationParameter) -> tuple[int, int] | None:
    """Height and width of the crop of a caffe.TransformationParameter; None without a crop.

    DataError for half a crop, or two.
    """
    given = [
        (int(getattr(transform, height)), int(getattr(transform, width))) for height, width in CROPS
    ]
    given = [sides for sides in given if any(sides)]
    if len(given) > 1 or not all(map(all, given)):
        raise DataError(
            "transform_param: Must either specify crop_size or both crop_height and"
            " crop_width; needed: crop_size, or crop_height and"
            " crop_width, or crop_h and crop_w"
        )
    return given[0] if given else None


class SegTransformer(Transformer):
    """Transforms an image and its labels alike: mirror, one of ``scale_factors``, crop.

    What is smaller than the crop is padded at the right and below.
    """

    def __init__(self, transform: caffe_pb2.TransformationParameter, phase: int) -> None:
        """``transform``: a caffe.TransformationParameter.

        DataError for what this layer cannot do.
        """
        if transform.mean_file:
            raise DataError("ImageSegDataLayer does not support mean file; needed: mean_value")
        height, width = crop_of(transform) or (0, 0)
        spec = TransformSpec.from_proto(transform, more=FIELDS)
        super().__init__(replace(spec, crop_size=0, crop_h=height, crop_w=width), phase)
        self._factors = tuple(map(np.float32, transform.scale_factors))
        if self._factors and not (height and all(0 < factor < np.inf for factor in self._factors)):
            needed = "needed: also > 0 and finite"
            raise DataError(
                "transform_param.scale_factors needs a crop_size, as the images of a batch"
                f" differ in size; {needed}"
            )

    @property
    def draws_each(self) -> int:
        """In this order: mirror, scale factor, top, left."""
        return super().draws_each + bool(self._factors)

    def output_shape(self, shape: tuple[int, ...]) -> tuple[int, int, int]:
        """(C, h, w) for an image of (C, H, W), which may be smaller than the crop."""
        return super().output_shape((shape[0], *self._filled(shape[1], shape[2])))

    def _filled(self, height: int, width: int) -> tuple[int, int]:
        return max(height, self.spec.crop[0]), max(width, self.spec.crop[1])

    def apply_both(
        self,
        image: Pixels,
        labels: Pixels,
        out: Floats,
        marks: Floats,
        draws: Sequence[int] | None,
        ignore: int,
    ) -> None:
        """Transform an image, (H, W) or (H, W, C), and its labels (H, W).

        The results go to ``out`` (C, h, w) and ``marks`` (h, w). Outside the image they are 0,
        which is the mean's value, and the label ``ignore``.
        """
        if draws is not None and self._factors:
            image, labels = self._scaled(image, labels, draws[int(self.spec.mirror)])
        mirror, top, left = self.place((len(out), *self._filled(*labels.shape)), out.shape, draws)
        height, width = marks.shape
        image, labels = (
            pixels[top : top + height, left : left + width] for pixels in (image, labels)
        )
        rows, columns = labels.shape
        if (rows, columns) != (height, width):
            out.fill(0)
            marks.fill(ignore)
        start = 0
        if mirror:
            image = image[:, ::-1]
            labels = labels[:, ::-1]
            start = width - columns
        part = out[:, :rows, start : start + columns]
        np.copyto(part, opencv.channels_first(image))
        self._finish(part)
        marks[:rows, start : start + columns] = labels

    def _scaled(self, image: Pixels, labels: Pixels, draw: int) -> tuple[Pixels, Pixels]:
        factor = self._factors[draw % len(self._factors)]
        if factor == 1:
            return image, labels
        height, width = (max(1, int(np.float32(side) * factor)) for side in labels.shape)
        return opencv.resize(image, height, width), opencv.resize(
            labels, height, width, nearest=True
        )


class LabelmapTransformer(Transformer):
    """Transforms an image and its labels alike: mirror and crop.

    Both are random in both phases, as in HED.
    """

    def __init__(self, transform: caffe_pb2.TransformationParameter, phase: int) -> None:
        """``transform``: a caffe.TransformationParameter.

        DataError for fields that exclude each other, and for a crop that HED refuses.
        """
        if transform.crop_size and not transform.mirror and phase != TRAIN:
            raise DataError(
                "crop_size takes a random place in TEST too, which HED's Caffe has with"
                " mirror alone; needed: no crop_size in TEST"
            )
        super().__init__(TransformSpec.from_proto(transform), TRAIN)

    def apply_both(
        self,
        image: Pixels,
        labels: Pixels,
        out: Floats,
        marks: Floats,
        draws: Sequence[int] | None,
        ignore: int,
    ) -> None:
        """Transform an image, (H, W) or (H, W, C), and its labels (H, W).

        The results go to ``out`` (C, h, w) and ``marks`` (h, w). No label is ignored.
        """
        whole = opencv.channels_first(image)
        self.apply(whole, out, draws)
        mirror, top, left = self.place(whole.shape, out.shape, draws)
        np.copyto(
            marks, cut_window(labels[None], (top, left, *marks.shape), mirror, self._scratch)[0]
        )
