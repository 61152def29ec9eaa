"""Binary nets of C3D v1.0."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caffepy.errors import WeightsError
from caffepy.proto import c3d, caffe_pb2, weights, wire
from caffepy.proto.upgrade import upgrade_net


def message(*fields: tuple[int, object]) -> wire.Chunks:
    """Numbers, texts, floats and messages as protobuf writes them."""
    chunks = wire.Chunks()
    for number, value in fields:
        if isinstance(value, wire.Chunks):
            chunks.add_message(number, value)
        elif isinstance(value, float):
            chunks.add(wire.varint(number << 3 | wire.FIXED32) + np.float32(value).tobytes())
        elif isinstance(value, int):
            chunks.add_varint(number, value)
        else:
            chunks.add_bytes(number, str(value).encode())
    return chunks


def blob(*shape: int, diff: bool = False) -> wire.Chunks:
    """A blob with values 0, 1, ..., and gradients that are as much below."""
    values = np.arange(np.prod(shape), dtype="<f4")
    chunks = message(*enumerate(shape, 1))
    chunks.add_bytes(6, values.tobytes())
    if diff:
        chunks.add_bytes(7, (-values).tobytes())
    return chunks


def layer(name: str, kind: int, *fields: tuple[int, object]) -> tuple[int, wire.Chunks]:
    return (2, message((2, "below"), (3, name), (4, name), (5, kind), *fields))


def data_of(*fields: tuple[int, object]) -> memoryview:
    return memoryview(b"".join(message((1, "net"), *fields).pieces))


CLIPS = message(
    (1, "list"),
    (2, 0.5),
    (4, 30),
    (5, 112),
    (9, 128),
    (10, 171),
    (11, 16),
    (12, 1),
    (13, 1),
    (16, 1),
    (17, 90.0),
    (23, 7.0),
)
VOLUMES = message(
    (1, 4),
    (3, 1),
    (4, 3),
    (6, 2),
    (7, 5),
    (8, 3),
    (9, message((1, "xavier"))),
    (10, message((2, 1.0))),
    (11, 2),
    (12, 6),
)
WINDOWS = message((1, 1), (2, 2), (3, 2), (5, 3), (6, 4))
NET = data_of(
    layer("clips", 33, (15, CLIPS)),
    layer(
        "c",
        30,
        (6, blob(4, 3, 2, 3, 3, diff=True)),
        (6, blob(1, 1, 1, 1, 4)),
        (7, 1.0),
        (7, 2.0),
        (10, VOLUMES),
    ),
    layer("p", 31, (19, WINDOWS)),
    layer("e", 25),
    layer("plane", 4, (6, blob(2, 3, 1, 3, 3)), (6, blob(1, 1, 1, 1, 2))),
    layer("ip", 14, (6, blob(1, 1, 1, 1, 6)), (6, blob(1, 1, 1, 1, 1)), (17, message((1, 1)))),
    layer("d", 11 + 23),
    layer("db", 5, (11, message((1, "db"), (4, 2), (8, 1)))),
)


def test_types_and_fields_get_the_numbers_of_the_common_schema() -> None:
    assert c3d.of_c3d(NET)
    net, _ = upgrade_net(weights.net_in(NET, "c3d.caffemodel"), "c3d.caffemodel")
    clips, c, p, e, *_, db = net.layer
    assert [each.type for each in net.layer] == [
        *(
            "VideoData",
            "Convolution3D",
            "Pooling3D",
            "Eltwise",
            "Convolution",
            "InnerProduct",
            "",
            "Data",
        )
    ]
    assert (list(c.bottom), list(c.top), c.name, [each.lr_mult for each in c.param]) == (
        ["below"],
        ["c"],
        "c",
        [1, 2],
    )
    own = c.convolution3d_param
    assert (own.num_output, own.pad, own.kernel_size, own.kernel_depth, own.stride) == (
        4,
        1,
        3,
        2,
        5,
    )
    assert (own.temporal_stride, own.filter_group, own.temporal_pad) == (3, 2, 6)
    assert (own.weight_filler.type, own.bias_filler.value) == ("xavier", 1)
    windows = p.pooling3d_param
    assert (windows.pool, windows.kernel_size, windows.stride) == (windows.AVE, 2, 2)
    assert (windows.kernel_depth, windows.temporal_stride) == (3, 4)
    assert e.eltwise_param.operation == caffe_pb2.EltwiseParameter.PROD
    images = clips.image_data_param
    assert (images.source, images.scale, images.batch_size, images.crop_size) == (
        "list",
        0.5,
        30,
        112,
    )
    assert (
        images.new_height,
        images.new_width,
        images.new_length,
        images.show_data,
        images.use_image,
    ) == (128, 171, 16, 1, True)
    assert (images.use_temporal_jitter, images.mean_value, images.clip_max, images.is_flow) == (
        True,
        90,
        7,
        False,
    )
    assert db.data_param == caffe_pb2.DataParameter(source="db", batch_size=2)


def test_blobs_keep_their_values_in_the_axes_of_their_layers() -> None:
    net, _ = upgrade_net(weights.net_in(NET, "c3d.caffemodel"), "c3d.caffemodel")
    shapes = {
        each.name: [list(one.shape.dim) for one in each.blobs] for each in net.layer if each.blobs
    }
    assert shapes == {
        "c": [[4, 3, 2, 3, 3], [1, 1, 1, 1, 4]],
        "plane": [[2, 3, 3, 3], [2]],
        "ip": [[1, 6], [1]],
    }
    for each in net.layer:
        for one in each.blobs:
            assert list(one.data) == list(range(len(one.data)))
    weight, bias = net.layer[1].blobs
    assert list(weight.diff) == [-value for value in weight.data]
    assert len(bias.diff) == 0


def test_weights_come_with_the_types_of_their_layers(tmp_path: Path) -> None:
    (tmp_path / "net").write_bytes(NET)
    found = {each.name: each for each in weights.read_net_weights(tmp_path / "net")}
    assert (found["c"].type, found["p"].type, found["d"].type) == ("Convolution3D", "Pooling3D", "")
    assert found["c"].blobs[0].shape == (4, 3, 2, 3, 3)


def test_types_that_are_not_here() -> None:
    assert [c3d.not_here(number + c3d.NAMELESS) for number in (34, 37, 40)] == [
        "DECONVOLUTION3D",
        "VOXEL_SOFTMAX_LOSS",
        "DOWN_SAMPLING",
    ]
    assert c3d.not_here(34) == c3d.not_here(0) == ""


def test_nets_of_others_are_left_alone() -> None:
    net = caffe_pb2.NetParameter()
    net.layers.add(
        name="a",
        type="ARGMAX",
        blobs=[caffe_pb2.BlobProto(num=1, channels=1, height=1, width=1, data=[2])],
    )
    data = memoryview(net.SerializeToString())
    assert not c3d.of_c3d(data)
    assert weights.net_in(data, "net") == net


def test_a_blob_of_others_beside_those_of_c3d() -> None:
    """It has the axes that it says."""
    plain = message((7, message((1, 2))))
    plain.add_bytes(5, np.float32([3, 4]).tobytes())
    net = weights.net_in(data_of(layer("ip", 14, (6, blob(1, 1, 1, 2, 1)), (6, plain))), "c3d")
    assert [(list(one.shape.dim), list(one.data)) for one in net.layers[0].blobs] == [
        ([2, 1], [0, 1]),
        ([2], [3, 4]),
    ]


def test_a_damaged_one() -> None:
    bad = data_of(
        layer(
            "c", 30, (6, blob(1, 1, 1, 1, 2)), (6, message((1, 1), (2, 1), (3, 1), (4, 1), (5, 3)))
        )
    )
    with pytest.raises(
        WeightsError,
        match=r"c3d: a damaged caffemodel of C3D v1.0: a blob of shape \(1, 1, 1, 1, 3\) has 0 of its 3 values",
    ):
        weights.net_in(bad, "c3d")
