"""Field numbers of layers that forks use for different things: the bytes of every form parse, and come out again."""

from __future__ import annotations

import csv
import pickle
from pathlib import Path

import numpy as np
import pytest
from google.protobuf.message import DecodeError

from caffepy.proto import caffe_pb2
from caffepy.proto.weights import read_net_weights

with open(Path(__file__).with_name("layer_numbers.tsv"), encoding="utf-8") as table:
    ROWS = list(csv.DictReader(table, delimiter="\t"))
NAMES = [f"{row['number']}-{row['fork']}-{row['field']}" for row in ROWS]
NAMED = caffe_pb2.LayerParameter.DESCRIPTOR.fields_by_number


def layer_bytes(row: dict[str, str]) -> bytes:
    """A layer with a blob and the field as its fork writes it."""
    layer = caffe_pb2.LayerParameter(name="f", type="InnerProduct", top=["f"])
    layer.blobs.add(shape={"dim": [2]}, data=[3, 4])
    return layer.SerializeToString() + bytes.fromhex(row["bytes"])


def net_bytes(row: dict[str, str]) -> bytes:
    layer = layer_bytes(row)
    return b"\n\x01n\xa2\x06" + bytes([len(layer) & 0x7F | 0x80, len(layer) >> 7]) + layer


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_every_form_of_a_number_parses(row: dict[str, str], tmp_path: Path) -> None:
    net = caffe_pb2.NetParameter()
    net.ParseFromString(net_bytes(row))
    assert caffe_pb2.NetParameter.FromString(net_bytes(row)) == net
    copy, merged, again = (
        caffe_pb2.NetParameter(),
        caffe_pb2.NetParameter(name="n"),
        caffe_pb2.NetParameter(),
    )
    copy.CopyFrom(net)
    merged.MergeFrom(net)
    again.MergeFromString(net_bytes(row))
    for each in (net, copy, merged, again):
        (layer,) = each.layer
        assert (layer.name, list(layer.blobs[0].data), 'type: "InnerProduct"' in str(each)) == (
            "f",
            [3, 4],
            True,
        )
    assert caffe_pb2.LayerParameter.FromString(layer_bytes(row)) == net.layer[0]
    (tmp_path / "net.caffemodel").write_bytes(net_bytes(row))
    (read,) = read_net_weights(tmp_path / "net.caffemodel")
    assert np.array_equal(read.blobs[0], [3, 4])


@pytest.mark.parametrize(
    "row",
    [row for row in ROWS if int(row["number"]) not in NAMED],
    ids=lambda row: f"{row['number']}-{row['fork']}",
)
def test_what_stands_at_a_number_of_nobody_is_written_again(row: dict[str, str]) -> None:
    net = caffe_pb2.NetParameter.FromString(net_bytes(row))
    assert bytes.fromhex(row["bytes"]) in net.SerializeToString()


def test_which_numbers_belong_to_nobody() -> None:
    assert {"149", "152", "155", "156", "211"} <= {
        row["number"] for row in ROWS if int(row["number"]) not in NAMED
    }


def test_a_field_of_a_fork_at_a_number_of_caffe() -> None:
    """PSPNet's mat_write_param begins with a string where Caffe's parameter_param has a message."""
    row = next(row for row in ROWS if row["field"] == "mat_write_param" and row["number"] == "145")
    net = caffe_pb2.NetParameter.FromString(net_bytes(row))
    assert net.layer[0].mat_write_param.prefix == "a/b"
    assert not net.layer[0].HasField("parameter_param")
    assert pickle.loads(pickle.dumps(net)) == net
    net.MergeFromString(net_bytes(row))
    assert [layer.mat_write_param.prefix for layer in net.layer] == ["a/b", "a/b"]


def test_damage_stays_damage() -> None:
    layer = caffe_pb2.LayerParameter(name="p", parameter_param={"shape": {"dim": [2, 3]}})
    kept = caffe_pb2.NetParameter(name="kept")
    for damaged in (layer.SerializeToString()[:-1], b"\x8a\x09\x02\x0a\xff", b"\xff\xff"):
        with pytest.raises(DecodeError):
            caffe_pb2.LayerParameter.FromString(damaged)
        with pytest.raises(DecodeError):
            kept.MergeFromString(b"\xa2\x06" + bytes([len(damaged)]) + damaged)
    assert kept == caffe_pb2.NetParameter(name="kept")
