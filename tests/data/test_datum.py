"""Datum records, against protobuf's own reading and writing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caffepy.data.datum import Buffer, Layout, Stack, decode, decode_stack, encode
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

labels = st.integers(-(2**31), 2**31 - 1)
floats = st.lists(st.floats(width=32, allow_nan=False), max_size=8)


@given(
    data=st.none() | st.binary(max_size=40),
    label=st.none() | labels,
    values=floats,
    encoded=st.none() | st.booleans(),
)
def test_encode_gives_protobufs_bytes(
    data: bytes | None, label: int | None, values: list[float], encoded: bool | None
) -> None:
    message = caffe_pb2.Datum(channels=3, height=2000, width=1, float_data=values)
    if data is not None:
        message.data = data
    if label is not None:
        message.label = label
    if encoded is not None:
        message.encoded = encoded
    ours = encode(data, shape=(3, 2000, 1), label=label, floats=values or None, encoded=encoded)
    assert ours == message.SerializeToString(deterministic=True)


@given(
    data=st.binary(max_size=40),
    label=labels,
    values=floats,
    encoded=st.booleans(),
    packed=st.booleans(),
)
def test_decode_reads_what_protobuf_writes(
    data: bytes, label: int, values: list[float], encoded: bool, packed: bool
) -> None:
    message = caffe_pb2.Datum(
        channels=1, height=2, width=300, data=data, label=label, encoded=encoded
    )
    wire = message.SerializeToString()
    if packed and values:
        wire += b"\x32" + bytes((4 * len(values),)) + np.array(values, "<f4").tobytes()
    else:
        wire += caffe_pb2.Datum(float_data=values).SerializeToString()
    # fields of other schemas
    wire = b"\xaa\x06\x03abc" + wire + b"\x45abcd" + b"\x40\x05" + b"\x49abcdefgh"
    found = decode(wire)
    assert (found.channels, found.height, found.width, found.label, found.encoded) == (
        1,
        2,
        300,
        label,
        encoded,
    )
    assert bytes(found.data) == data
    assert (
        (found.floats is None)
        if not values
        else np.array_equal(found.floats, np.array(values, np.float32))
    )


def test_pieces_are_joined() -> None:
    assert encode([b"ab", memoryview(b"c")], label=1) == encode(b"abc", label=1)


def test_label_wraps_at_32_bits() -> None:
    assert decode(encode(b"", label=3_000_000_000)).label == 3_000_000_000 - 2**32


def test_pixels_are_not_copied() -> None:
    record = bytearray(encode(b"\1\2\3\4", shape=(1, 2, 2)))
    image = decode(memoryview(record)).image()
    record[-4:] = b"\5\6\7\x08"
    np.testing.assert_array_equal(image, [[[5, 6], [7, 8]]])


@pytest.mark.parametrize(
    "record", [b"\x08", b"\x22\x05ab", b"\x0f", b"\x35ab", b"\x41abc", b"\xff" * 12, b"\x32\x03abc"]
)
def test_broken_records(record: bytes) -> None:
    with pytest.raises(DataError, match="is no Datum"):
        decode(record)


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (encode(b"abc", shape=(1, 2, 2)), r"3 values.*1x2x2 = 4"),
        (encode(None, shape=(1, 2, 2), floats=[1, 2]), r"2 values"),
        (
            encode(bytes(32), shape=(1, 2, 2)),
            "32 values.* = 4; data holds bytes, needed: floats in float_data",
        ),
        (encode(b"\x89PNG\r\n"), "6 bytes .an image file, and encoded not set"),
        (encode(b"png", label=1, encoded=True), "is encoded"),
        (encode(b"abc"), "no Datum"),
        (b"\x0a\x02ab", "AnnotatedDatum"),
    ],
)
def test_records_without_an_image(record: bytes, says: str) -> None:
    with pytest.raises(DataError, match=says):
        decode(record).image()


def stacked(records: Sequence[Buffer]) -> Stack | None:
    return decode_stack(records, Layout.of(records[0]))


def test_stack_equals_one_by_one() -> None:
    # the length takes a varint of two bytes
    pixels = np.random.default_rng(0).integers(0, 256, (7, 3, 5, 60), np.uint8)
    for encoded in (None, False):
        records = [
            encode(p.tobytes(), shape=(3, 5, 60), label=i * 20, encoded=encoded)
            for i, p in enumerate(pixels)
        ]
        stack = stacked([memoryview(r) for r in records])
        assert stack is not None
        np.testing.assert_array_equal(stack.images, pixels)
        assert stack.labels.tolist() == [i * 20 for i in range(7)]


@pytest.mark.parametrize(
    "other",
    [
        encode(b"12345678", shape=(2, 2, 2), label=200),  # two bytes of label
        encode(b"12345678", shape=(2, 1, 4), label=1),
        encode(b"12345678", shape=(2, 2, 2)),
        encode(b"12345678", shape=(2, 2, 2), label=1, encoded=False),
        encode(None, shape=(2, 2, 2), floats=[1.0, 2.0]),
    ],
)
def test_stack_of_unlike_records_is_left_to_decode(other: bytes) -> None:
    usual = encode(b"abcdefgh", shape=(2, 2, 2), label=1)
    assert stacked([usual, other]) is None
    assert stacked([other, usual]) is None


def test_stack_refuses_encoded_and_float_records() -> None:
    assert stacked([encode(b"12345678", shape=(2, 2, 2), label=1, encoded=True)]) is None
    assert stacked([encode(None, shape=(1, 1, 2), floats=[1.0, 2.0])]) is None


def test_layout_reads_what_differs_in_pixels_and_label_only() -> None:
    for encoded in (None, False):
        layout = Layout.of(encode(b"abcdefgh", shape=(2, 2, 2), label=1, encoded=encoded))
        assert layout is not None
        for label in (0, 1, 127, 128, 300, 2**31 - 1, 300):
            record = encode(b"12345678", shape=(2, 2, 2), label=label, encoded=encoded)
            for buffer in (record, memoryview(record)):
                found = layout.read(buffer)
                assert found is not None
                assert (found[0].shape, found[0].tobytes(), found[1]) == (
                    (2, 2, 2),
                    b"12345678",
                    label,
                )


@pytest.mark.parametrize(
    "other",
    [
        encode(b"12345678", shape=(2, 1, 4), label=1),
        encode(b"1234567", shape=(2, 2, 2), label=1),
        encode(b"12345678", shape=(2, 2, 2)),
        encode(b"12345678", shape=(2, 2, 2), label=-1),
        encode(b"12345678", shape=(2, 2, 2), label=1, encoded=True),
        encode(b"12345678", shape=(2, 2, 2), label=1, floats=[1.0]),
        encode(b"12345678", shape=(2, 2, 2), label=1)[:-1],
        encode(b"12345678", shape=(2, 2, 2), label=1)[:-2],
        b"",
    ],
)
def test_layout_leaves_unlike_records_to_decode(other: bytes) -> None:
    layout = Layout.of(encode(b"abcdefgh", shape=(2, 2, 2), label=1))
    assert layout is not None
    assert layout.read(other) is None


def test_no_layout_without_raw_pixels() -> None:
    assert Layout.of(encode(b"png", label=1, encoded=True)) is None
    assert Layout.of(encode(None, shape=(1, 1, 2), floats=[1.0, 2.0])) is None
    assert Layout.of(encode(b"abc", shape=(2, 2, 2), label=1)) is None
