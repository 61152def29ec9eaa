"""The wire format against protobuf's own reading and writing of it."""

from __future__ import annotations

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from caffepy.proto import caffe_pb2, wire


def entries(data):
    return list(wire.scan(memoryview(data), 0, len(data)))


@given(st.integers(-(1 << 63), (1 << 64) - 1))
def test_numbers_come_back(value):
    data = wire.varint(value)
    read, at = wire.read_varint(memoryview(data), 0, len(data))
    assert at == len(data)
    assert read == value % (1 << 64)
    assert wire.signed(read) == (value if value < 1 << 63 else value - (1 << 64))


def test_every_kind_of_field():
    message = caffe_pb2.Datum(channels=-1, data=b"abc", label=300, float_data=[0.5])
    found = {entry.number: entry for entry in entries(message.SerializeToString())}
    assert wire.signed(found[1].value) == -1
    assert found[5].value == 300
    assert (found[4].kind, found[4].end - found[4].start) == (wire.BYTES, 3)
    assert (found[6].kind, found[6].end - found[6].start) == (wire.FIXED32, 4)
    double = caffe_pb2.BlobProto(double_data=[0.5]).SerializeToString()
    assert (entries(double)[0].number, entries(double)[0].end - entries(double)[0].start) == (8, 8)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x08", "the number at byte 1 does not end"),
        (b"\x08" + b"\xff" * 11, "does not end"),
        (b"\x12\x05ab", "the field at byte 0 goes beyond the end"),
        (b"\x0d\x00", "the field at byte 0 goes beyond the end"),
        (b"\x08\x01\x00\x01", "no protobuf field starts at byte 2"),
        (b"\x0b\x0c", "no protobuf field starts at byte 0"),
    ],
)
def test_what_makes_no_sense(data, said):
    with pytest.raises(wire.WireError, match=said):
        entries(data)


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(data):
    try:
        found = entries(data)
    except wire.WireError:
        with pytest.raises(DecodeError):
            caffe_pb2.BlobProtoVector.FromString(without_groups(data))
    else:
        assert [data[entry.tag : entry.end] for entry in found] == pieces(
            data, [entry.end for entry in found]
        )


def without_groups(data):
    """Groups are the one thing that protobuf knows and this reader does not: such bytes get replaced by some that end early."""
    return b"\x12\x05" if any(byte & 7 in (3, 4) for byte in data) else data


def pieces(data, ends):
    return [data[start:end] for start, end in zip([0, *ends], ends)]


def test_messages_are_written_as_protobuf_does():
    whole, inner = wire.Chunks(), wire.Chunks()
    inner.add_bytes(1, b"x" * 200)
    whole.add_varint(1, -1)
    whole.add_message(2, inner)
    whole.add(wire.varint(3 << 3 | wire.FIXED32) + b"1234")
    assert whole.size == len(b"".join(whole.pieces))
    assert [(entry.number, entry.kind) for entry in entries(b"".join(whole.pieces))] == [
        (1, wire.VARINT),
        (2, wire.BYTES),
        (3, wire.FIXED32),
    ]
    layer = caffe_pb2.LayerParameter(name="a", type="b", top=["c"], phase=caffe_pb2.TEST)
    head, tail = wire.split(layer.SerializeToString(), 7)
    assert caffe_pb2.LayerParameter.FromString(head) == caffe_pb2.LayerParameter(
        name="a", type="b", top=["c"]
    )
    assert caffe_pb2.LayerParameter.FromString(tail) == caffe_pb2.LayerParameter(
        phase=caffe_pb2.TEST
    )
