"""A net's text as a table."""

from __future__ import annotations

from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.report.structure import structure

NET = """
layer { name: "d" type: "Python" top: "a" python_param { module: "m" layer: "L" } }
layer { name: "c" type: "Convolution" bottom: "a" top: "c" param { name: "w" lr_mult: 1 } param { lr_mult: 2 decay_mult: 0 } param { }
        convolution_param { num_output: 64 kernel_size: 3 stride: 2 pad: 1 group: 2 } }
layer { name: "k" type: "Deconvolution" bottom: "a" top: "k" convolution_param { num_output: 1 kernel_h: 1 kernel_w: 5 pad_h: 0 pad_w: 2 } }
layer { name: "h" type: "Convolution" bottom: "a" top: "h" convolution_param { num_output: 1 kernel_size: 3 pad_h: 1 } }
layer { name: "v" type: "Pooling" bottom: "a" top: "v"
        pooling_param { kernel_size_3d: 2 kernel_size_3d: 3 kernel_size_3d: 3 stride_3d: 1 stride_3d: 2 stride_3d: 2 } }
layer { name: "p" type: "Pooling" bottom: "c" top: "p" pooling_param { kernel_size: 3 stride: 2 } }
layer { name: "g" type: "Pooling" bottom: "p" top: "g" pooling_param { global_pooling: true } }
layer { name: "i" type: "InnerProduct" bottom: "g" top: "i" inner_product_param { num_output: 10 } }
layer { name: "l" type: "EuclideanLoss" bottom: "i" bottom: "k" top: "l" loss_weight: 0.5 }
"""


def test_table() -> None:
    net = caffe_pb2.NetParameter()
    parse(NET, net, file="net")
    assert [line.split() for line in structure(net)[1:]] == [
        ["d", "m.L", "->", "a"],
        ["c", "Convolution", "(w:", "1,", "2*0,", "-)", "a", "->", "c", "3/2+1", "64/2"],
        ["k", "Deconvolution", "a", "->", "k", "1x5+0x2", "1"],
        ["h", "Convolution", "a", "->", "h", "3+1x0", "1"],
        ["v", "Pooling", "a", "->", "v", "2x3x3/1x2x2"],
        ["p", "Pooling", "c", "->", "p", "3/2"],
        ["g", "Pooling", "p", "->", "g", "global"],
        ["i", "InnerProduct", "g", "->", "i", "10"],
        ["l", "EuclideanLoss", "i,", "k", "->", "0.5", "*", "l"],
    ]
    assert len({line.index("->") for line in structure(net)[1:]}) == 1
