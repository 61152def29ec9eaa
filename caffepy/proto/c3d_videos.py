"""VideoData layers of C3D, which have other lists and clips than those of other Caffes."""

from __future__ import annotations

from caffepy.proto import caffe_pb2


def c3ds_videos(layer: caffe_pb2.LayerParameter) -> bool:
    """Whether this VideoData layer has its fields in image_data_param, as C3D's."""
    return (
        layer.type == "VideoData"
        and layer.HasField("image_data_param")
        and not layer.HasField("video_data_param")
    )
