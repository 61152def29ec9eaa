"""Transformations of a clip of frames, the same for all frames, for C3D's VideoData."""

# C channels of all frames, H W frame, h w output

from __future__ import annotations

from collections.abc import Sequence

from caffepy.data.transformer import Transformer, TransformSpec
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2


class ClipTransformer(Transformer):
    """Cuts clips, mirrors them, subtracts a mean clip and scales.

    The fields are those of C3D's image_data_param, or those of transform_param, which C3D 1.0 has
    not. A random crop never begins at the last place, as in C3D, and it needs a frame that is
    larger.
    """

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int) -> None:
        """``param``: a caffe.LayerParameter; DataError for fields that do not fit each other."""
        own, transform = param.image_data_param, param.transform_param
        moved = caffe_pb2.TransformationParameter()
        for name in ("scale", "mean_file", "crop_size", "mirror"):
            if own.HasField(name):
                setattr(moved, name, getattr(own, name))
        if own.HasField("mean_value") and not own.mean_file:
            moved.mean_value.append(own.mean_value)
        moved.MergeFrom(transform)
        if moved.mirror and not moved.crop_size:
            raise DataError(
                "Current implementation requires mirror and crop_size to be set at the same time."
            )
        super().__init__(TransformSpec.from_proto(moved), phase)

    def place(
        self, shape: tuple[int, ...], out: tuple[int, ...], draws: Sequence[int] | None
    ) -> tuple[bool, int, int]:
        mirror, top, left = super().place(shape, out, draws)
        if draws is not None and self.random_crop:
            top, left = draws[-2] % max(1, shape[1] - out[1]), draws[-1] % max(1, shape[2] - out[2])
        return mirror, top, left
