"""Automatic Split layers: where they go, what they are called, where a loss weight moves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format

from caffepy.errors import NetError
from caffepy.net.splits import insert_splits
from caffepy.proto import caffe_pb2
from tests.net.build import TEST, compiled


def nowhere(*path: str | int) -> str:
    return "net.prototxt:1:1"


def split(text: str) -> Any:
    net = text_format.Parse(text, caffe_pb2.NetParameter())
    return insert_splits(net, nowhere)[0]


def names(net: Any) -> list[str]:
    return [layer.name for layer in net.layer]


TWO_READERS = """
layer { name: "in" type: "Input" top: "data" }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" }
layer { name: "relu" type: "ReLU" bottom: "ip" top: "ip" }
layer { name: "a" type: "Silence" bottom: "ip" }
layer { name: "b" type: "Silence" bottom: "ip" }
"""


def test_split_follows_the_last_in_place_layer() -> None:
    net = split(TWO_READERS)
    assert names(net) == ["in", "ip", "relu", "ip_relu_0_split", "a", "b"]
    assert list(net.layer[3].top) == ["ip_relu_0_split_0", "ip_relu_0_split_1"]
    assert [net.layer[4].bottom[0], net.layer[5].bottom[0]] == [
        "ip_relu_0_split_0",
        "ip_relu_0_split_1",
    ]
    assert net.layer[2].bottom[0] == "ip"


def test_one_reader_needs_no_split() -> None:
    text = 'layer { name: "in" type: "Input" top: "data" } layer { name: "s" type: "Silence" bottom: "data" }'
    assert names(split(text)) == ["in", "s"]


def test_loss_weight_counts_as_a_reader_and_moves_to_the_first_split_top() -> None:
    net = split(
        """
layer { name: "in" type: "Input" top: "x" top: "y" }
layer { name: "l" type: "EuclideanLoss" bottom: "x" bottom: "y" top: "loss" loss_weight: 2 }
layer { name: "s" type: "Silence" bottom: "loss" }
"""
    )
    assert names(net) == ["in", "l", "loss_l_0_split", "s"]
    assert list(net.layer[1].loss_weight) == []
    assert list(net.layer[2].loss_weight) == [2.0, 0.0]
    assert net.layer[3].bottom[0] == "loss_l_0_split_1"


def test_unknown_bottom_names_place_layer_and_nearest_blob() -> None:
    text = 'layer { name: "in" type: "Input" top: "pool2" } layer { name: "s" type: "Silence" bottom: "pool9" }'
    with pytest.raises(
        NetError,
        match=r"^net.prototxt:1:1: layer 's' \(Silence\): Unknown bottom blob 'pool9'.*nearest: 'pool2'",
    ):
        split(text)


def test_a_bottom_that_only_another_phase_has(tmp_path: Path) -> None:
    text = 'layer { name: "d" type: "Input" top: "data" include { phase: TRAIN } } layer { name: "s" type: "Silence" bottom: "data" }'
    with pytest.raises(
        NetError,
        match=r"Unknown bottom blob 'data'.*; 'd' does, but its rules keep it out of this phase, level and stage",
    ):
        compiled(text, tmp_path, TEST)
