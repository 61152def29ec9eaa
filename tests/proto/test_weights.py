"""caffemodel and binaryproto files of all formats, and what is said about others."""

from __future__ import annotations

import contextlib
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from caffepy.errors import WeightsError
from caffepy.proto import caffe_pb2, weights, wire


def shaped(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def written(tmp_path, net):
    path = tmp_path / "net.caffemodel"
    path.write_bytes(net if isinstance(net, bytes) else net.SerializeToString())
    return path


def test_layers_come_back_and_protobuf_reads_them(tmp_path):
    net = caffe_pb2.NetParameter(name="n", force_backward=True)
    net.layer.add(name="a", type="InnerProduct", top=["x"], phase=caffe_pb2.TEST)
    net.layer.add(name="b", type="ReLU")
    arrays = [[shaped(2, 3), shaped(2)], []]
    path = tmp_path / "net.caffemodel"
    weights.write_net(path, net, arrays, diffs=[[shaped(2, 3) + 1, shaped(2)], []])
    first, second = weights.read_net_weights(path)
    assert (first.name, first.type, second.name, second.blobs) == ("a", "InnerProduct", "b", [])
    for found, array in zip(first.blobs, arrays[0], strict=True):
        np.testing.assert_array_equal(found, array)
    np.testing.assert_array_equal(first.diffs[0], arrays[0][0] + 1)
    message = weights.read_net_binary(path)
    assert list(message.layer[0].blobs[0].diff) == [1, 2, 3, 4, 5, 6]
    for layer in message.layer:
        layer.ClearField("blobs")
    assert message == net


def test_v1_and_v0_layers(tmp_path):
    v1 = caffe_pb2.NetParameter(
        layers=[
            {
                "name": "ip",
                "type": caffe_pb2.V1LayerParameter.INNER_PRODUCT,
                "blobs": [{"data": [1]}],
            }
        ]
    )
    v1.layers[0].blobs[0].shape.dim.append(1)
    (layer,) = weights.read_net_weights(written(tmp_path, v1))
    assert (layer.name, layer.type, layer.blobs[0].tolist()) == ("ip", "InnerProduct", [1])
    v0 = caffe_pb2.NetParameter(input=["d"], input_dim=[1, 1, 1, 1])
    v0.layers.add(bottom=["d"], top=["p"]).layer.MergeFrom(
        caffe_pb2.V0LayerParameter(name="p", type="padding", pad=1)
    )
    inner = caffe_pb2.V0LayerParameter(
        name="c",
        type="conv",
        blobs=[{"num": 1, "channels": 1, "height": 1, "width": 2, "data": [3, 4]}],
    )
    v0.layers.add(bottom=["p"], top=["c"]).layer.MergeFrom(inner)
    made, convolution = weights.read_net_weights(written(tmp_path, v0))
    assert (made.type, made.blobs) == ("Input", [])
    assert (convolution.name, convolution.type, convolution.blobs[0].tolist()) == (
        "c",
        "Convolution",
        [[[[3, 4]]]],
    )


def test_gradients_beside_the_values(tmp_path):
    net = caffe_pb2.NetParameter(layer=[{"name": "a", "type": "InnerProduct"}])
    shape = {"dim": [2]}
    net.layer[0].blobs.add(data=[1, 2], shape=shape)
    net.layer[0].blobs.add(data=[1, 2], diff=[3, 4], double_diff=[5, 6], shape=shape)
    net.layer[0].blobs.add(data=[1, 2], diff=[3, 4], shape=shape)
    (layer,) = weights.read_net_weights(written(tmp_path, net))
    assert [diff if diff is None else diff.tolist() for diff in layer.diffs] == [
        None,
        [5, 6],
        [3, 4],
    ]
    del net.layer[0].blobs[2].diff[:1]
    with pytest.raises(
        WeightsError, match=r"blob 2 of layer 'a': a blob of shape \(2,\) has 1 of its 2 values"
    ):
        weights.read_net_weights(written(tmp_path, net))


def test_a_fork_that_numbers_fields_otherwise(tmp_path):
    """Field 137, embed_param, is a number in this file: the net is no NetParameter, but its names and blobs are there."""
    layer = caffe_pb2.LayerParameter(
        name="up", type="Upsample", blobs=[{"shape": {"dim": [1]}, "data": [7]}]
    ).SerializeToString()
    bad = layer + b"\xca\x08\x01\x08"  # embed_param { an unfinished number }
    (found,) = weights.read_net_weights(written(tmp_path, b"\xa2\x06" + bytes([len(bad)]) + bad))
    assert (found.name, found.type, found.blobs[0].tolist()) == ("up", "Upsample", [7])


NUMBERS = [*range(137, 160), 163, 203, 299, 602, 604, 8266711]
"""Where forks have fields of their own, many of them where BVLC Caffe or another fork has one too."""
CONTENTS = {
    "integer": (0, b"\3"),
    "double": (1, bytes(8)),
    "float": (5, b"\0\0\x80\x3f"),
    "string": (2, b"\2xy"),
    "message": (2, b"\2\x08\3"),
    "message with a float": (2, b"\5\x0d\0\0\x80\x3f"),
    "nothing": (2, b"\0"),
}


@pytest.mark.parametrize("content", CONTENTS)
def test_fields_of_any_fork_beside_the_blobs(content, tmp_path):
    kind, value = CONTENTS[content]
    plain = caffe_pb2.LayerParameter(
        name="l", type="Convolution", blobs=[{"shape": {"dim": [2]}, "data": [3, 4]}]
    ).SerializeToString()
    for number in NUMBERS:
        layer = plain + varint(number << 3 | kind) + value
        (found,) = weights.read_net_weights(
            written(tmp_path, varint(100 << 3 | 2) + varint(len(layer)) + layer)
        )
        assert (found.name, found.blobs[0].tolist()) == ("l", [3, 4]), number


def varint(number):
    """As protobuf writes it: 7 bits a byte, the lowest first."""
    more, low = divmod(number, 128)
    return bytes([low | 128]) + varint(more) if more else bytes([low])


def test_a_name_that_is_not_utf8(tmp_path):
    path = written(tmp_path, b"\xa2\x06\x03\x0a\x01\xff")
    # whether it is read, depends on the release of protobuf
    with contextlib.suppress(WeightsError):
        assert [layer.name for layer in weights.read_net_weights(path)] == [
            "\N{REPLACEMENT CHARACTER}"
        ]


def test_hdf5_is_known_by_content(tmp_path):
    pytest.importorskip("h5py")
    path = tmp_path / "renamed.caffemodel"
    weights.write_net_hdf5(path, [("a", [shaped(2)])])
    assert [layer.name for layer in weights.read_net_weights(path)] == ["a"]


def test_a_pipe_is_read_once(tmp_path):
    content = caffe_pb2.NetParameter(
        layer=[{"name": "a", "blobs": [{"data": [7]}]}]
    ).SerializeToString()
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with ThreadPoolExecutor(1) as beside:
        writing = beside.submit(path.write_bytes, content)
        assert weights.layers_in(path) == set()
        (layer,) = weights.read_net_weights(path)
        assert writing.result(10) == len(content)
    assert (layer.name, layer.blobs[0].item()) == ("a", 7)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (caffe_pb2.SolverState(iter=3), "holds a solver's state, not weights"),
        (
            caffe_pb2.BlobProto(num=1, channels=1, height=1, width=2, data=[1, 2]),
            "holds a mean image, not weights",
        ),
        (
            b"\n\n<!DOCTYPE html>\n<html lang='en'>",
            "not a caffemodel.*it is a web page .HTML.*fetch the file itself",
        ),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:1",
            "not a caffemodel.*Git LFS pointer",
        ),
        (b'name: "net"\nlayer { }', "not a caffemodel.*it looks like text"),
        (b'\x10\0\0\0\0\0\0\0{"ip": {}}       ', "not a caffemodel.*it is a safetensors file"),
        (b"PK\x03\x04\x00\x00", "not a caffemodel.*it is a zip file"),
        (b"\x93NUMPY\x01", "not a caffemodel.*it is an array of numpy"),
        (b"\x1f\x8b\x08", "not a caffemodel.*it is a gzip file"),
        (b"", "the file is empty"),
        (
            b"\xa2\x06\x7f",
            "not a caffemodel, or a damaged one: the field at byte 0 goes beyond the end",
        ),
        (
            caffe_pb2.NetParameter(
                layer=[
                    {"name": "c", "blobs": [{"data": [1]}, {"data": [1], "shape": {"dim": [2]}}]}
                ]
            ),
            r"blob 1 of layer 'c': a blob of shape \(2,\) has 1 of its 2 values",
        ),
        (
            caffe_pb2.NetParameter(layer=[{"name": "c"}], layers=[{"name": "old"}]),
            "layer 'old': Refusing to upgrade inconsistent",
        ),
    ],
)
def test_other_files(tmp_path, content, said):
    path = written(tmp_path, content)
    with pytest.raises(WeightsError, match=f"^{path}.*{said}"):
        weights.read_net_weights(path)
    with pytest.raises(WeightsError, match="File not found: "):
        weights.read_net_weights(tmp_path / "no")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (caffe_pb2.SolverState(iter=3), "holds a solver's state, not weights"),
        (
            caffe_pb2.BlobProto(num=1, channels=1, height=1, width=2, data=[1, 2]),
            "holds a mean image, not weights",
        ),
    ],
)
def test_other_files_to_be_upgraded(tmp_path, content, said):
    path = written(tmp_path, content)
    with pytest.raises(WeightsError, match=f"^{path} {said}"):
        weights.read_net_binary(path)


def test_means(tmp_path):
    path = tmp_path / "mean.binaryproto"
    for array in (shaped(1, 3, 2, 2), shaped(5)):
        weights.write_blob(path, array)
        np.testing.assert_array_equal(weights.read_blob(path), array)
    path.write_bytes(b"mean")
    with pytest.raises(
        WeightsError,
        match=f"^{path}: not a binaryproto file, or a damaged one: .*; it looks like text",
    ):
        weights.read_blob(path)


def test_the_real_models(shared):
    """Every model among the recorded files is read, with the arrays that protobuf finds in it."""
    files = [
        path for path in sorted((shared / "golden").glob("*/*/*.caffemodel")) if path.stem != "bad"
    ]
    for path in files:
        message = weights.read_net_binary(path)
        stored = [
            [blob.data or blob.double_data for blob in layer.blobs] for layer in message.layer
        ]
        if stored:
            for layer, arrays in zip(weights.read_net_weights(path), stored, strict=True):
                for blob, numbers in zip(layer.blobs, arrays, strict=True):
                    np.testing.assert_array_equal(blob.ravel(), np.array(numbers, np.float32))
    assert len(files) > 10


def test_files_beyond_what_protobuf_reads(tmp_path):
    """Where its libraries end, at 2 GB, this reader goes on, in one blob too.

    The file has holes for zeros.
    """
    count, path = (1 << 29) + 3, tmp_path / "net.caffemodel"
    dims = wire.varint(count)
    blob = b"\x3a" + bytes([2 + len(dims)]) + b"\x0a" + bytes([len(dims)]) + dims
    values = b"\x2a" + wire.varint(4 * count)
    layer = b"\x0a\x01f\x12\x0cInnerProduct\x3a" + wire.varint(len(blob) + len(values) + 4 * count)
    head = (
        b"\xa2\x06"
        + wire.varint(len(layer) + len(blob) + len(values) + 4 * count)
        + layer
        + blob
        + values
    )
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(len(head) + 4 * count - 4)
        file.seek(0, os.SEEK_END)
        file.write(np.float32(7).tobytes())
    (found,) = weights.read_net_weights(path)
    assert found.blobs[0].shape == (count,)
    assert found.blobs[0][[0, -1]].tolist() == [0, 7]


def test_a_net_that_protobuf_cannot_read_is_called_so(tmp_path, monkeypatch):
    monkeypatch.setattr(weights, "PROTOBUF_BYTES", 3)
    with pytest.raises(
        WeightsError,
        match=r"it has 0.0 GB, and protobuf's libraries read no more than 0.0 GB of a file; needed: ",
    ):
        weights.read_net_binary(written(tmp_path, b"\xa2\x06\xff\xff"))
