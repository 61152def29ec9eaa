"""Which layers take blobs of five axes."""

from __future__ import annotations

import pytest

from caffepy.errors import LayerError
from caffepy.net import compile
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse

INPUT = """
layer { name: "in" type: "Input" top: "x" top: "t" input_param { shape { dim: 2 dim: 3 dim: 2 dim: 4 dim: 4 } shape { dim: 2 } } }
"""
PRELU = 'layer { name: "p" type: "PReLU" bottom: "x" top: "p" }'
LOSSES = [
    f'layer {{ name: "l" type: "{kind}" bottom: "x" bottom: "t" top: "l" }}'
    for kind in ("HingeLoss", "MultinomialLogisticLoss")
]
POOL = 'layer { name: "pool" type: "Pooling3D" bottom: "x" top: "pool" pooling3d_param { kernel_size: 2 kernel_depth: 1 } }'
INTELS = (
    'layer { name: "i" type: "Pooling" bottom: "x" top: "i" pooling_param { kernel_size_3d: 1 kernel_size_3d: 2 kernel_size_3d: 2 } }',
    'engine: "MKLDNN:DEFAULT"',
    'layer { name: "r" type: "ReLU" bottom: "x" top: "r" engine: "CAFFE" }',
)


def accepts(layer: str, *rest: str) -> bool:
    net = caffe_pb2.NetParameter()
    parse(" ".join((INPUT, layer, *rest)), net, file="net.prototxt")
    try:
        compile(net)
    except LayerError as error:
        if "has 5 axes; needed: " in str(error):
            return False
        raise
    return True


@pytest.mark.parametrize("layer", [PRELU, *LOSSES])
def test_those_of_c3d_in_nets_with_its_layers(layer: str) -> None:
    assert not accepts(layer)
    assert accepts(layer, POOL)


@pytest.mark.parametrize("rest", INTELS)
def test_those_of_intel_in_nets_with_its_fields(rest: str) -> None:
    assert accepts(PRELU, rest)
    assert not accepts(LOSSES[0], rest)
