"""VideoData layers of C3D, whose lists and clips caffepy does not read."""

from __future__ import annotations

from caffepy.proto import caffe_pb2


def c3ds_videos(layer: caffe_pb2.LayerParameter) -> bool:
    """Whether this VideoData layer has its fields in image_data_param, as C3D's."""
    return (
        layer.type == "VideoData"
        and layer.HasField("image_data_param")
        and not layer.HasField("video_data_param")
    )


def clips_needed(param: caffe_pb2.ImageDataParameter) -> str:
    """The error message for such a layer."""
    height, width = (
        (param.crop_size,) * 2 if param.crop_size else (param.new_height, param.new_width)
    )
    sizes = (param.batch_size, 3, param.new_length, height or "HEIGHT", width or "WIDTH")
    shape = " ".join(f"dim: {size}" for size in sizes)
    return (
        "this VideoData is C3D's, with its fields in image_data_param, and is not read"
        " here; needed: its clips from another layer, such as"
        f" one of type 'Input' with input_param {{ shape {{ {shape} }} }}, or HDF5Data"
    )
