"""What happynear's Caffe does for which SSD's has a layer of the same name."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.engine.arena import Arena
from caffepy.engine.weights import copy_trained_layers, save
from caffepy.errors import WeightsError
from caffepy.net import compile
from caffepy.net.graph import Graph
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse

NORM = "layer { name: 'norm' type: 'Normalize' bottom: 'x' top: 'n' }"
FC = "layer { name: 'fc' type: 'InnerProduct' bottom: 'n' top: 'fc' inner_product_param { num_output: 3 bias_term: false %s } }"
MARGIN = "layer { name: 'm' type: 'LabelSpecificAdd' bottom: 'fc' bottom: 't' top: 'm' label_specific_add_param { bias: -0.35 } }"


def graph(text: str) -> Graph:
    net = caffe_pb2.NetParameter()
    shapes = "shape { dim: 2 dim: 5 } shape { dim: 2 }"
    parse(
        f"layer {{ name: 'in' type: 'Input' top: 'x' top: 't' input_param {{ {shapes} }} }} {text}",
        net,
        file="net.prototxt",
    )
    return compile(net)


def scales(text: str) -> int:
    (node,) = (node for node in graph(text).nodes if node.type == "Normalize")
    return len(node.layer.blobs)


def test_without_a_field_it_is_that_of_the_rest_of_the_net() -> None:
    assert scales(NORM + FC % "") == 1
    assert scales(NORM + FC % "normalize: true") == 0
    assert scales(NORM + FC % "" + MARGIN) == 0
    assert scales(NORM + (FC % "").replace("bottom: 'n'", "bottom: 'n' bottom: 'x'")) == 0
    assert scales(NORM[:-1] + "norm_param { } }" + FC % "normalize: true") == 1
    assert scales(NORM[:-1] + "normalize_param { } }") == 0


def test_weights_without_a_scale_are_named(tmp_path: Path) -> None:
    path = str(tmp_path / "face.caffemodel")
    trained = graph(NORM[:-1] + "normalize_param { } }" + FC % "")
    save(path, trained, Arena(trained))
    other = graph(NORM + FC % "")
    with pytest.raises(
        WeightsError,
        match=r"number of blobs for layer norm: 0 in the file, 1 in the net.*normalize_param \{ \}",
    ):
        copy_trained_layers(other, Arena(other), path)
