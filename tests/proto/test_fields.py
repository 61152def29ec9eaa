"""Questions about fields."""

from __future__ import annotations

from caffepy.proto import caffe_pb2
from caffepy.proto.fields import beyond_int, is_message, is_repeated, set_fields


def test_kinds():
    fields = caffe_pb2.LayerParameter.DESCRIPTOR.fields_by_name
    assert [is_repeated(fields[name]) for name in ("bottom", "name", "param", "pooling_param")] == [
        True,
        False,
        True,
        False,
    ]
    assert [is_message(fields[name]) for name in ("bottom", "name", "param", "pooling_param")] == [
        False,
        False,
        True,
        True,
    ]


def test_what_is_set_and_where():
    layer = caffe_pb2.LayerParameter(name="a", top=["x", "y"], blobs=[{}])
    found = [
        (field.name, path, value)
        for field, path, value in set_fields(layer, skip=frozenset(["blobs"]))
    ]
    assert found == [("name", ("name",), "a"), ("top", ("top", 0), "x"), ("top", ("top", 1), "y")]


def test_numbers_that_no_int_holds():
    layer = caffe_pb2.LayerParameter(
        convolution_param={
            "num_output": 1 << 31,
            "kernel_size": [3, 4294967295],
            "group": (1 << 31) - 1,
        }
    )
    assert list(beyond_int(layer)) == [
        (("convolution_param", "num_output"), 1 << 31),
        (("convolution_param", "kernel_size", 1), 4294967295),
    ]
    assert list(beyond_int(layer, skip=frozenset(["convolution_param"]))) == []
