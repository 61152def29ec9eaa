"""Which layers' gradients can travel as factors."""

from __future__ import annotations

from caffepy.net import compile
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.solver.updating.factors import candidates

NET = """
layer { name: "in" type: "Input" top: "x" top: "w" input_param { shape { dim: 2 dim: 3 } shape { dim: 4 dim: 3 } } }
layer { name: "own" type: "InnerProduct" bottom: "x" top: "own" inner_product_param { num_output: 3 } }
layer { name: "given" type: "InnerProduct" bottom: "own" bottom: "w" top: "given" inner_product_param { bias_term: false } }
layer { name: "sum" type: "Reduction" bottom: "given" top: "sum" loss_weight: 1 }
"""


def test_weights_from_a_bottom_are_no_parameter() -> None:
    net = caffe_pb2.NetParameter()
    parse(NET, net, file="net.prototxt")
    graph = compile(net)
    assert [found.node.name for found in candidates(graph, range(len(graph.learnable)))] == ["own"]
