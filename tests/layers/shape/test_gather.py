"""Gather."""

from __future__ import annotations

import torch

from caffepy.net import compile
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from tests.layers.check import check_layer, refusal, tops

BOTH = 'layer { name: "l" type: "Gather" bottom: "x" bottom: "t" top: "y" top: "z" }'


def test_layer() -> None:
    check_layer('layer { name: "l" type: "Gather" bottom: "x" top: "y" }', x=(3, 2))
    check_layer(BOTH, x=(3, 2), t=(3, 1, 4))


def test_nothing_changes() -> None:
    y, z = tops(BOTH, x=[[1.0, 2]], t=[3.0])
    assert torch.equal(y, torch.tensor([[1.0, 2]]))
    assert torch.equal(z, torch.tensor([3.0]))


def test_labels_need_no_gradient_beside_what_needs_one() -> None:
    """Else the loss would be asked for one."""
    text = (
        "layer { name: 'd' type: 'Input' top: 'd' top: 'l' input_param { shape { dim: 3 dim: 2 } shape { dim: 3 } } }"
        "layer { name: 'f' type: 'InnerProduct' bottom: 'd' top: 'f' inner_product_param { num_output: 4 } }"
        "layer { name: 'g' type: 'Gather' bottom: 'f' bottom: 'l' top: 'x' top: 't' }"
        "layer { name: 's' type: 'SoftmaxWithLoss' bottom: 'x' bottom: 't' top: 's' }"
    )
    net = caffe_pb2.NetParameter()
    parse(text, net, file="net.prototxt")
    nodes = {node.name: node for node in compile(net).nodes}
    assert nodes["g"].backward
    assert nodes["g"].propagate_down == (True, False)
    assert nodes["s"].propagate_down == (True, False)


def test_refusals() -> None:
    assert "as many tops as it has bottoms, 2 bottoms and 1 tops" in refusal(BOTH.replace('top: "z"', ""), x=(1,), t=(1,))
    other = BOTH[:-1] + "gather_param { axis: 1 } }"
    assert "'LayerParameter.gather_param' is not BVLC Caffe's (fork: synopsys-caffe)" in refusal(other, x=(1,), t=(1,))
