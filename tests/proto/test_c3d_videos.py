"""What is said of the VideoData layers of C3D."""

from __future__ import annotations

import pytest

from caffepy.proto import caffe_pb2
from caffepy.proto.c3d_videos import c3ds_videos, clips_needed


def test_c3ds_layers() -> None:
    layer = caffe_pb2.LayerParameter(type="VideoData", image_data_param={"source": "a"})
    assert c3ds_videos(layer)
    layer.video_data_param.source = "a"
    assert not c3ds_videos(layer)
    assert not c3ds_videos(
        caffe_pb2.LayerParameter(type="ImageData", image_data_param={"source": "a"})
    )


@pytest.mark.parametrize(
    ("fields", "sizes"),
    [
        ({"crop_size": 112, "new_height": 128, "new_width": 171}, "dim: 112 dim: 112"),
        ({"new_height": 128, "new_width": 171}, "dim: 128 dim: 171"),
        ({}, "dim: HEIGHT dim: WIDTH"),
    ],
)
def test_what_to_write_for_video_data(fields: dict[str, int], sizes: str) -> None:
    param = caffe_pb2.ImageDataParameter(batch_size=5, new_length=16, **fields)  # type: ignore[arg-type]
    assert (
        f"input_param {{ shape {{ dim: 5 dim: 3 dim: 16 {sizes} }} }}, or HDF5Data"
        in clips_needed(param)
    )
