"""Frames of videos, or their optical flow."""

from __future__ import annotations

from caffepy.data.shard import Shard
from caffepy.data.source import Source
from caffepy.data.video_transformer import FIELDS
from caffepy.layers.common.base_data import SIZES, BaseDataLayer
from caffepy.layers.core.base import between
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches
from caffepy.proto.c3d_videos import c3ds_videos

SSDS = ("video_type", "device_id", "video_file", "skip_frames")
C3DS = ("new_length", "use_image", "sampling_rate", "use_temporal_jitter", "mean_value")
"""Fields of image_data_param that C3D added, for its layer of this name."""
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

    A layer with image_data_param and no video_data_param is C3D's, whose clips are volumes. One
    with a video_type, device_id, video_file or skip_frames is SSD's, of single frames. Others are
    those of temporal segment networks (TSN).

    Bottom: none.
    Top:    data (N, C, H, W) float, C = num_segments * new_length * 3 (RGB: blue, green, red of
            each frame; 1 with grayscale) or 2 (FLOW: along x and y); label (N, 1, 1, 1) float.
            C3D's: data (N, 3, new_length, H, W) float; [1] (optional) label (N, 1, 1, 1, 1) float.
            SSD's: data (N, C, H, W) float; [1] (optional) label (N,) float, 0.
    Params: none
    Proto:  video_data_param { source (lines of a folder or, with RGB, a video file that OpenCV
            decodes, its number of frames and a label),
            batch_size, new_length, num_segments, modality (RGB or FLOW; to be given), new_height,
            new_width, shuffle, name_pattern, grayscale }, transform_param without mean_file, with
            mean_value (one for all channels, one for each, or for the first that then repeat),
            fix_crop, more_fix_crop, multi_scale, scale_ratios, max_distort, is_flow, data_param {
            prefetch }. C3D's: image_data_param { source (lines of a video file, its first frame
            from 0 and a label; of a folder of 000001.jpg, ..., a first frame and a label with
            use_image; of a video and a label, or a folder, its number of frames and a label with
            use_temporal_jitter), batch_size, new_length, sampling_rate, new_height, new_width,
            shuffle, rand_skip, use_image, use_temporal_jitter, crop_size, mirror, scale, mean_file
            (of a clip), mean_value }; its show_data, and what belongs to its other layers, have no
            effect. SSD's: video_data_param { video_type (WEBCAM or VIDEO), device_id, video_file,
            skip_frames (before each frame) }, data_param { batch_size, prefetch }, transform_param,
            with resize_param, crop_h, crop_w. Behind a file's last frame there is no batch
    Differs from torch: no counterpart; the rules are those of caffepy.data.sources.video_data,
            clip_data and frame_data.
    Source: yjxiong/caffe, video_data_layer; Wang et al. 2016. facebook/C3D, C3D-v1.0, of the same
            name; Tran et al. 2015. SSD, of the same name
    """

    fork_fields = BaseDataLayer.fork_fields | frozenset(
        (
            "LayerParameter.video_data_param",
            *(f"VideoDataParameter.{name}" for name in (*OWN, *SSDS)),
            *(f"VideoDataParameter.VideoType.{name}" for name in ("WEBCAM", "VIDEO")),
            *SIZES,
            *(f"TransformationParameter.{name}" for name in FIELDS),
            *(f"ImageDataParameter.{name}" for name in C3DS),
        )
    )
    tops = between(1, 2)
    source = ("sources.video_data", "VideoDataSource")
    batches = Batches(divisible=False)

    def open(self, shard: Shard = Shard()) -> Source:
        """The source.  LayerError for fields or tops of another of the three."""
        self._check()
        return super().open(shard)

    def _check(self) -> None:
        if len(self.param.top) < 2 and self.source_class() == self.source:
            raise self.fail("1 top is given; needed: 2, data and label")
        for field, _ in self.param.transform_param.ListFields():
            if f"TransformationParameter.{field.name}" in SIZES and not self._is_ssds():
                raise self.fail(
                    f"transform_param.{field.name} has no effect here; needed: video_data_param"
                    " { video_type: VIDEO video_file: ... }, as in SSD, or crop_size"
                )

    def source_class(self) -> tuple[str, str]:
        """C3D's clips and SSD's frames have other sources."""
        if c3ds_videos(self.param):
            return "sources.clip_data", "ClipDataSource"
        if self._is_ssds():
            return "sources.frame_data", "FrameDataSource"
        return self.source

    def _is_ssds(self) -> bool:
        return any(self.param.video_data_param.HasField(name) for name in SSDS)
