"""Frames of videos, or their optical flow."""

from __future__ import annotations

from caffepy.data.video_transformer import FIELDS
from caffepy.layers.common.base_data import BaseDataLayer
from caffepy.layers.core.base import exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches

C3DS = (
    "new_length use_image show_data sampling_rate use_label use_temporal_jitter mean_value"
    " num_truth_channels use_byte_input is_flow"
    " truth_scale clip_min clip_max"
)
"""Fields of C3D's layer of this name. They are known only for an error that names that layer."""
OWN = (
    "source",
    "batch_size",
    "new_length",
    "num_segments",
    "modality",
    "new_height",
    "new_width",
    "shuffle",
    "name_pattern",
    "grayscale",
)


@register_layer("VideoData")
class VideoDataLayer(BaseDataLayer):
    """Frames of videos, or optical flow, stacked as channels.  Caffe type ``VideoData``.

    Bottom: none.
    Top:    data (N, C, H, W) float, C = num_segments * new_length * 3 (RGB: blue, green, red of
            each frame; 1 with grayscale) or 2 (FLOW: along x and y); label (N, 1, 1, 1) float.
    Params: none
    Proto:  video_data_param { source (lines of a folder or, with RGB, a video file that OpenCV
            decodes, its number of frames and a label),
            batch_size, new_length, num_segments, modality (RGB or FLOW; to be given), new_height,
            new_width, shuffle, name_pattern, grayscale }, transform_param without mean_file, with
            mean_value (one for all channels, one for each, or for the first that then repeat),
            fix_crop, more_fix_crop, multi_scale, scale_ratios, max_distort, is_flow, data_param {
            prefetch }
    Differs from torch: no counterpart; the rules are those of caffepy.data.sources.video_data.
    Source: yjxiong/caffe, video_data_layer; Wang et al. 2016. VideoData of SSD (a camera) and of
            C3D (other lists) is not read
    """

    fork_fields = BaseDataLayer.fork_fields | frozenset(
        (
            "LayerParameter.video_data_param",
            *(f"VideoDataParameter.{name}" for name in OWN),
            *(f"TransformationParameter.{name}" for name in FIELDS),
            *(f"ImageDataParameter.{name}" for name in C3DS.split()),
        )
    )
    tops = exactly(2)
    source = ("sources.video_data", "VideoDataSource")
    batches = Batches(divisible=False)
