"""The fields that give the windows of convolutions and poolings."""

from __future__ import annotations

import pytest
from google.protobuf import text_format

from caffepy.proto import caffe_pb2
from caffepy.proto.window_fields import given_by_axis, window_field


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("", "kernel", ()),
        ("kernel_size: 3", "kernel", (3,)),
        ("kernel_size: 3 kernel_size: 5 kernel_size: 7", "kernel", (3, 5, 7)),
        ("kernel_h: 3 kernel_w: 5", "kernel", (3, 5)),
        ("pad_h: 1", "pad", (1, 0)),
        ("stride: 2", "stride", (2,)),
        ("dilation: 2", "dilation", (2,)),
        ("hole: 2", "dilation", (2,)),
        ("hole_h: 2 hole_w: 4", "dilation", (2, 4)),
    ],
)
def test_of_a_convolution(text: str, name: str, values: tuple[int, ...]) -> None:
    assert window_field(text_format.Parse(text, caffe_pb2.ConvolutionParameter()), name) == values


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("", "stride", ()),
        ("stride: 1", "stride", (1,)),
        ("pad_h: 1 pad_w: 2", "pad", (1, 2)),
        ("kernel_size: 3 kernel_h: 5", "kernel", (3,)),
        ("kernel_size_3d: 1 kernel_size_3d: 2 kernel_size_3d: 3", "kernel", (1, 2, 3)),
        ("kernel_size: 3", "dilation", ()),
    ],
)
def test_of_a_pooling(text: str, name: str, values: tuple[int, ...]) -> None:
    assert window_field(text_format.Parse(text, caffe_pb2.PoolingParameter()), name) == values


def test_the_fields_of_a_pair_that_are_given() -> None:
    param = text_format.Parse("stride_w: 0 pad_h: 1 pad_w: 1", caffe_pb2.PoolingParameter())
    assert given_by_axis(param, "stride") == ["stride_w"]
    assert given_by_axis(param, "pad") == ["pad_h", "pad_w"]
    assert given_by_axis(param, "dilation") == []
