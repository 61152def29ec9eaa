"""What HED's Caffe does for which BVLC Caffe has layers of the same names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caffepy.net.forks.hed import adapt
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse, read_net
from caffepy.pycaffe.coord_map import coord_map_from_to
from caffepy.pycaffe.net_spec import layers as L

DATA = "layer { name: 'd' type: 'ImageLabelmapData' top: 'data' top: 'label' }"
INPUT = "layer { name: 'd' type: 'Input' top: 'data' input_param { shape { dim: 1 dim: 3 dim: 40 dim: 50 } } }"
CONV = "layer { name: 'c' type: 'Convolution' bottom: 'data' top: 'c' convolution_param { num_output: 1 pad: 35 kernel_size: 3 } }"
CROP = "layer { name: 'crop' type: 'Crop' bottom: 'c' bottom: 'data' top: 'x' }"
LOSS = "layer { name: 'l' type: 'SigmoidCrossEntropyLoss' bottom: 'x' bottom: 'label' top: 'l' }"


def settled(text: str) -> Any:
    net = caffe_pb2.NetParameter()
    parse(text, net, file="net.prototxt")
    adapt(net)
    return net.layer


def test_a_loss_of_edges_balances_them_unless_it_says_that_it_does_not() -> None:
    assert settled(DATA + LOSS)[1].loss_param.balance_labels
    assert not settled(DATA + LOSS[:-1] + "loss_param { balance_labels: false } }")[
        1
    ].loss_param.balance_labels
    assert not settled(DATA.replace("ImageLabelmapData", "ImageSegData") + LOSS)[
        1
    ].loss_param.balance_labels
    assert not settled(DATA + LOSS.replace("'label'", "'data'"))[1].loss_param.balance_labels


def test_a_crop_cuts_where_its_second_bottom_lies() -> None:
    assert list(settled(DATA + CONV + CROP)[2].crop_param.offset) == [34, 34]
    assert list(settled(DATA + CONV + CROP[:-1] + "crop_param { } }")[2].crop_param.offset) == []


def test_other_nets_are_warned_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert not settled(INPUT + CONV + CROP)[2].HasField("crop_param")
    assert (
        "'data' lies at 34, 34 in 'c', where the Caffe of HED and of the first FCN cuts: crop_param { offset: 34 offset: 34 }"
        in (capsys.readouterr().err)
    )
    settled(INPUT + CONV.replace("35", "1") + CROP)
    settled(INPUT + CONV + CROP[:-1] + "crop_param { offset: 0 } }")
    assert "crop" not in capsys.readouterr().err


WINDOWS = {
    "kernel_size: 3 pad: 10": "kernel_h: 3 kernel_w: 3 pad_h: 10 pad_w: 10",
    "kernel_size: 4 stride: 2 pad: 0": "kernel_size: 4 stride_h: 2 stride_w: 2",
    "kernel_size: 3 stride: 1 pad: 2 dilation: 2": "kernel_size: 3 dilation: 2 dilation: 2 pad: 2 pad: 2",
}


@pytest.mark.parametrize("long", [False, True])
def test_places_are_those_of_coord_map(long: bool) -> None:
    """Through convolutions, a pooling and a deconvolution."""
    first, last, middle = (written if long else short for short, written in WINDOWS.items())
    found = settled(
        DATA
        + f"layer {{ name: '1' type: 'Convolution' bottom: 'data' top: '1' convolution_param {{ {first} }} }}"
        "layer { name: 'r' type: 'ReLU' bottom: '1' top: '1' }"
        "layer { name: '2' type: 'Pooling' bottom: '1' top: '2' pooling_param { kernel_size: 2 stride: 2 } }"
        f"layer {{ name: '3' type: 'Convolution' bottom: '2' top: '3' convolution_param {{ {middle} }} }}"
        f"layer {{ name: '4' type: 'Deconvolution' bottom: '3' top: '4' convolution_param {{ {last} }} }}"
        "layer { name: '5' type: 'Crop' bottom: '4' bottom: 'data' top: '5' }"
    )
    data = L.Input()
    pooled = L.Pooling(L.ReLU(L.Convolution(data, kernel_size=3, pad=10)), kernel_size=2, stride=2)
    up = L.Deconvolution(
        L.Convolution(pooled, kernel_size=3, pad=2, dilation=2),
        convolution_param={"kernel_size": 4, "stride": 2},
    )
    _, scale, start = coord_map_from_to(up, data)
    assert float(scale[0]) == 1
    assert list(found[-1].crop_param.offset) == [-round(float(start[0]))] * 2 != [0, 0]


def test_what_has_no_place_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    flat = "layer { name: 'f' type: 'InnerProduct' bottom: 'c' top: 'f' }"
    larger = CONV.replace("35", "0").replace("kernel_size: 3", "kernel_size: 3 stride: 2")
    for text in (
        CONV + flat + CROP.replace("'c'", "'f'"),
        larger + CROP,
        CONV.replace("35", "0") + CROP,
    ):
        assert not settled(DATA + text)[-1].crop_param.offset
        settled(INPUT + text)
    assert "crop" not in capsys.readouterr().err


def test_the_hole_of_a_dilated_convolution_moves_the_place() -> None:
    """DeepLab's name of ``dilation``."""
    places = [
        list(
            settled(DATA + CONV.replace("kernel_size: 3", f"kernel_size: 3 {name}: 4") + CROP)[
                -1
            ].crop_param.offset
        )
        for name in ("dilation", "hole", "hole_h: 4 hole_w")
    ]
    assert places == [[31, 31]] * 3


def test_hed(shared: Path) -> None:
    """The offsets are those of HED's nets, whose first convolution pads by 35."""
    net, _ = read_net(shared / "wild/prototxt/hed/hed_train_val.prototxt")
    adapt(net)
    crops = [list(layer.crop_param.offset) for layer in net.layer if layer.type == "Crop"]
    assert crops == [[34, 34], [35, 35], [36, 36], [38, 38], [42, 42]]
    assert [
        layer.loss_param.balance_labels
        for layer in net.layer
        if layer.type == "SigmoidCrossEntropyLoss"
    ] == [True] * 6


@pytest.mark.parametrize("kind", ["Clip", "Swish", "Concat", "Softmax"])
def test_layers_that_leave_elements_where_they_are(kind: str) -> None:
    """Those of `coord_map`, and two that only HED's Caffe knows of."""
    between = (
        f"layer {{ name: 'k' type: '{kind}' bottom: 'c' top: 'k' clip_param {{ min: 0 max: 1 }} }}"
    )
    assert list(
        settled(DATA + CONV + between + CROP.replace("'c'", "'k'"))[-1].crop_param.offset
    ) == [34, 34]
