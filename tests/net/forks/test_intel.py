"""What a field of Intel's does to all BatchNorm layers."""

from __future__ import annotations

from caffepy.net import compile
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse

TEXT = """
layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 4 dim: 2 } } }
layer { name: "a" type: "BatchNorm" bottom: "x" top: "a" }
layer { name: "b" type: "BatchNorm" bottom: "a" top: "b" batch_norm_param { stats_batch_size: 4 } }
"""


def sizes(field: str) -> list[int]:
    net = caffe_pb2.NetParameter()
    parse(f"{field} {TEXT}", net, file="net.prototxt")
    net.state.phase = caffe_pb2.TRAIN
    return [node.layer.stats_batch_size for node in compile(net).nodes if node.type == "BatchNorm"]


def test_the_nets_size_is_that_of_every_layer() -> None:
    assert sizes("") == [0, 4]
    assert sizes("bn_stats_batch_size: 2") == [2, 2]
    assert sizes("bn_stats_batch_size: 0") == [0, 0]
