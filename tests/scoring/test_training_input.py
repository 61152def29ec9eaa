"""What files tell of a training's input, beside a deploy net and in the weights."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from caffepy import log
from caffepy.proto import caffe_pb2
from caffepy.scoring.training_input import TrainingInput, training_input, warning

DEPLOY = """
input: "data" input_dim: 1 input_dim: 3 input_dim: 2 input_dim: 2
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 2 } }
layer { name: "prob" type: "Softmax" bottom: "ip" top: "prob" }
"""
DATA = 'layer { name: "d" type: "Data" top: "data" data_param { source: "x" } %s }'
TRAIN = DATA + ' layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 2 } }'
SCALED = "transform_param { scale: 0.5 mean_value: 104 mean_value: 117 }"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("deploy.prototxt").write_text(DEPLOY)
    write_weights(caffe_pb2.NetParameter())
    return tmp_path


def write_weights(net: caffe_pb2.NetParameter) -> None:
    blob = net.layer.add(name="ip", type="InnerProduct").blobs.add(data=[0.0] * 6)
    blob.shape.dim.extend((2, 3))
    Path("net.caffemodel").write_bytes(net.SerializeToString())


def told() -> TrainingInput | None:
    return training_input("deploy.prototxt", "net.caffemodel")


def test_nothing_is_told() -> None:
    assert told() is None
    assert warning("deploy.prototxt", "net.caffemodel", mean_given=False, scales=(1.0,)) == ""


def test_by_the_weights() -> None:
    net = caffe_pb2.NetParameter()
    layer = net.layer.add(name="data", type="Data", top=["data"])
    layer.transform_param.scale = 0.25
    layer.transform_param.mean_file = "m.binaryproto"
    write_weights(net)
    Path("train_val.prototxt").write_text(TRAIN % SCALED)
    assert told() == TrainingInput(0.25, "m.binaryproto", "net.caffemodel: layer 'data'")


def test_by_the_weights_of_2014() -> None:
    net = caffe_pb2.NetParameter()
    layer = net.layers.add(name="data", type=caffe_pb2.V1LayerParameter.DATA, top=["data"])
    layer.data_param.scale = 0.25
    Path("net.caffemodel").write_bytes(net.SerializeToString())
    assert told() == TrainingInput(0.25, "", "net.caffemodel: layer 'data'")


def test_by_the_net_beside_it() -> None:
    Path("a.prototxt").write_text(DATA % "transform_param { scale: 9 }")  # another net
    Path("solver.prototxt").write_text('net: "train_val.prototxt" base_lr: 1')
    Path("broken.prototxt").write_text("layer {")
    Path("train_val.prototxt").write_text(TRAIN % SCALED)
    assert told() == TrainingInput(0.5, "104, 117", "train_val.prototxt: layer 'd'")


def test_what_is_no_file_is_left_out() -> None:
    Path("gone.prototxt").symlink_to("nowhere")
    Path("folder.prototxt").mkdir()
    os.mkfifo("pipe.prototxt")
    assert told() is None


def test_a_net_that_takes_pixels_as_they_are() -> None:
    Path("train_val.prototxt").write_text(TRAIN % "transform_param { mirror: true }")
    assert told() == TrainingInput(1, "", "train_val.prototxt: layer 'd'")
    assert warning("deploy.prototxt", "net.caffemodel", mean_given=False, scales=(1.0,)) == ""


@pytest.mark.parametrize(
    ("mean", "scales", "said"),
    [
        (False, (1.0,), "subtracts the mean 104, 117 and scales by 0.5"),
        (True, (1.0,), "scales by 0.5"),
        (False, (0.5,), "subtracts the mean 104, 117"),
        (True, (1 / 510, 0.5), ""),
        (True, (0.505,), ""),
    ],
)
def test_warnings(mean: bool, scales: tuple[float, ...], said: str) -> None:
    Path("train_val.prototxt").write_text(TRAIN % SCALED)
    words = "the net was trained on another input: train_val.prototxt: layer 'd' "
    expected = words + said if said else ""
    assert warning("deploy.prototxt", "net.caffemodel", mean_given=mean, scales=scales) == expected


@pytest.mark.parametrize("content", [b"", b"\x89HDF\r\n\x1a\n", b"\xff\xff\xff", b"\x0a\x02n"])
def test_weights_that_tell_nothing(content: bytes) -> None:
    Path("net.caffemodel").write_bytes(content)
    assert told() is None


def test_files_beside_it_are_read_in_silence(capsys: pytest.CaptureFixture[str]) -> None:
    log.configure(min_level=log.INFO)
    Path("v1.prototxt").write_text('layers { name: "ip" type: INNER_PRODUCT bottom: "d" top: "ip" inner_product_param { num_output: 2 } }')
    Path("other.prototxt").write_text("strange: 1")
    assert told() is None
    assert capsys.readouterr() == ("", "")
