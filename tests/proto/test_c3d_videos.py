"""Which VideoData layers are C3D's."""

from __future__ import annotations

from caffepy.proto import caffe_pb2
from caffepy.proto.c3d_videos import c3ds_videos


def test_c3ds_layers() -> None:
    layer = caffe_pb2.LayerParameter(type="VideoData", image_data_param={"source": "a"})
    assert c3ds_videos(layer)
    layer.video_data_param.source = "a"
    assert not c3ds_videos(layer)
    assert not c3ds_videos(
        caffe_pb2.LayerParameter(type="ImageData", image_data_param={"source": "a"})
    )
