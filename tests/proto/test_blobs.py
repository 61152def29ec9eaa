"""Arrays in BlobProto messages, in every way they have been written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from caffepy.proto import blobs, caffe_pb2, wire


def read(message):
    data = memoryview(message if isinstance(message, bytes) else message.SerializeToString())
    return blobs.read(data, 0, len(data))


@given(
    hnp.arrays(
        np.float32,
        hnp.array_shapes(min_dims=0, max_dims=6, min_side=0, max_side=4),
        elements=st.floats(width=32),
    )
)
def test_arrays_come_back_and_protobuf_reads_them(values):
    data = b"".join(blobs.message(values, diff=values * 2).pieces)
    np.testing.assert_array_equal(read(data), values)
    message = caffe_pb2.BlobProto.FromString(data)
    np.testing.assert_array_equal(message.data, values.ravel())
    np.testing.assert_array_equal(message.diff, values.ravel() * 2)
    assert tuple(message.shape.dim) == values.shape
    np.testing.assert_array_equal(read(message), values)


def test_the_four_sizes_of_old_files():
    old = caffe_pb2.BlobProto(num=1, channels=1, height=2, width=3, data=range(6))
    assert read(old).shape == (1, 1, 2, 3)
    assert read(
        caffe_pb2.BlobProto(num=1, channels=1, height=1, width=2, data=[1, 2], shape={"dim": [2]})
    ).shape == (1, 1, 1, 2)
    written = caffe_pb2.BlobProto.FromString(
        b"".join(blobs.message(np.zeros((1, 3, 2, 2), np.float32), legacy=True).pieces)
    )
    assert (
        written.num,
        written.channels,
        written.height,
        written.width,
        written.HasField("shape"),
    ) == (1, 3, 2, 2, False)


def test_doubles_and_raw_numbers():
    assert read(caffe_pb2.BlobProto(shape={"dim": [2]}, double_data=[0.1, 1e300])).tolist() == [
        np.float32(0.1),
        np.inf,
    ]
    signalling = np.array([0x7FF0000000000001], "<u8").tobytes()
    assert np.isnan(
        read(
            caffe_pb2.BlobProto(
                shape={"dim": [1]}, raw_data_type=caffe_pb2.DOUBLE, raw_data=signalling
            )
        )
    ).all()
    both = caffe_pb2.BlobProto(shape={"dim": [2]}, data=[1, 2], double_data=[3, 4])
    assert read(both).tolist() == [3, 4], "doubles come first, as in Caffe"
    for kind, dtype in (
        (caffe_pb2.DOUBLE, "<f8"),
        (caffe_pb2.FLOAT, "<f4"),
        (caffe_pb2.FLOAT16, "<f2"),
    ):
        raw = caffe_pb2.BlobProto(
            shape={"dim": [3]}, raw_data_type=kind, raw_data=np.array([1, -2, 0.5], dtype).tobytes()
        )
        assert read(raw).tolist() == [1, -2, 0.5]


def test_numbers_that_are_not_packed():
    data = (
        b"".join(b"\x2d" + np.float32(v).tobytes() for v in (1, 2))
        + caffe_pb2.BlobProto(shape={"dim": [2]}).SerializeToString()
    )
    assert read(data).tolist() == [1, 2]
    unpacked_dims = (
        b"\x3a\x04\x08\x01\x08\x02" + caffe_pb2.BlobProto(data=[5, 6]).SerializeToString()
    )
    assert read(unpacked_dims).shape == (1, 2)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (caffe_pb2.BlobProto(shape={"dim": [2]}, data=[1]), r"shape \(2,\) has 1 of its 2 values"),
        (caffe_pb2.BlobProto(shape={"dim": [2]}), r"has 0 of its 2 values, no float data"),
        (caffe_pb2.BlobProto(shape={"dim": [-1]}, data=[1]), r"has shape \(-1,\)"),
        (
            caffe_pb2.BlobProto(shape={"dim": [1 << 40, 1 << 40]}, data=[1]),
            "has 1 of its 1208925819614629174706176 values",
        ),
        (caffe_pb2.BlobProto(num=1, data=[1]), r"shape \(1, 0, 0, 0\) has 1 of its 0 values"),
        (
            caffe_pb2.BlobProto(raw_data_type=caffe_pb2.UINT, raw_data=b"a"),
            "raw_data of type 4 is not float",
        ),
        (b"\x2a\x03abc", "3 bytes at byte 2 are no whole number of 4-byte values"),
    ],
)
def test_blobs_that_do_not_add_up(message, said):
    with pytest.raises(wire.WireError, match=said):
        read(message)


def of_c3d(shape: tuple[int, ...], values: list[float], diff: tuple[float, ...] = ()) -> memoryview:
    """A BlobProto of C3D v1.0."""
    blob = wire.Chunks()
    for number, size in enumerate(shape, 1):
        blob.add_varint(number, size)
    for number, numbers in ((6, values), (7, diff)):
        if numbers:
            blob.add_bytes(number, np.array(numbers, "<f4").tobytes())
    return memoryview(b"".join(blob.pieces))


@pytest.mark.parametrize(
    ("shape", "full"), [((1, 2, 3, 1, 1), (1, 2, 3, 1, 1)), ((1, 2, 0, 3, 1), (1, 2, 1, 3, 1))]
)
def test_blobs_of_c3d_have_five_sizes(shape: tuple[int, ...], full: tuple[int, ...]) -> None:
    data = of_c3d(shape, [1, 2, 3, 4, 5, 6])
    found = blobs.read(data, 0, len(data))
    assert (found.shape, found.flatten().tolist()) == (full, [1, 2, 3, 4, 5, 6])
    assert blobs.read_diff(data, 0, len(data), full) is None


def test_gradients_of_c3d() -> None:
    data = of_c3d((1, 1, 1, 1, 2), [1, 2], (3, 4))
    diff = blobs.read_diff(data, 0, len(data), (1, 1, 1, 1, 2))
    assert diff is not None
    assert diff.flatten().tolist() == [3, 4]
    short = of_c3d((1, 1, 1, 1, 3), [1, 2])
    with pytest.raises(wire.WireError, match="has 2 of its 3 values"):
        blobs.read(short, 0, len(short))
