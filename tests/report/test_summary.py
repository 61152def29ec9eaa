"""Counts of a net's layers."""

from __future__ import annotations

import pytest

from caffepy.net import Graph, compile
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.report.offline import Shapes
from caffepy.report.summary import si, summarize, table

NET = """
name: "n"
layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 4 dim: 3 dim: 8 dim: 8 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" param { name: "w" }
        convolution_param { num_output: 6 kernel_size: 3 group: 3 } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "twin" type: "Convolution" bottom: "data" top: "twin" param { name: "w" }
        convolution_param { num_output: 6 kernel_size: 3 group: 3 bias_term: false } }
layer { name: "ip" type: "InnerProduct" bottom: "conv" top: "ip" inner_product_param { num_output: 5 } }
layer { name: "cut" type: "Slice" bottom: "twin" top: "one" top: "two" }
layer { name: "quiet" type: "Silence" bottom: "one" bottom: "two" }
"""


def graph(text: str) -> Graph:
    net = caffe_pb2.NetParameter()
    parse(text, net, file="net")
    net.state.phase = caffe_pb2.TEST
    return compile(net, opener=Shapes().open)


def test_counts() -> None:
    summary = summarize(graph(NET))
    rows = {row.layer: row for row in summary.rows}
    assert list(rows) == ["in", "conv", "relu", "twin", "ip", "cut", "quiet"]  # no automatic Split
    conv = 6 * 1 * 3 * 3
    assert (rows["conv"].parameters, rows["conv"].flops, rows["conv"].bytes) == (conv + 6, 2 * 4 * conv * 36, 4 * 4 * 6 * 36)
    assert rows["conv"].outputs == ("conv: 4 x 6 x 6 x 6",)
    assert (rows["relu"].parameters, rows["relu"].flops, rows["relu"].bytes) == (0, 0, 0)  # in place
    assert rows["twin"].parameters == 0  # shared
    assert (rows["ip"].parameters, rows["ip"].flops) == (5 * 216 + 5, 2 * 4 * 5 * 216)
    assert (rows["cut"].outputs, rows["quiet"].outputs) == (("one: 4 x 3 x 6 x 6", "two: 4 x 3 x 6 x 6"), ())
    assert (summary.parameters, summary.batch, summary.name, summary.phase) == (conv + 6 + 1085, 4, "n", "TEST")
    assert summary.flops == 2 * rows["conv"].flops + rows["ip"].flops


def test_table() -> None:
    lines = table(summarize(graph(NET))).splitlines()
    assert lines[0] == "n, TEST phase, 7 layers"
    assert lines[5].split() == ["conv", "Convolution", "conv:", "4", "x", "6", "x", "6", "x", "6", "60", "15.6", "k", "3.46", "kB"]
    assert lines[10].split() == ["two:", "4", "x", "3", "x", "6", "x", "6"]
    assert lines[-3] == "parameters 1,145 (4.58 kB)"
    assert lines[-2].startswith("forward pass 39.7 k FLOPs for a batch of 4; 9.94 k for one")
    assert len(set(map(len, (lines[1], lines[3])))) == 1


def test_recurrent_layers_count() -> None:
    net = """layer { name: "x" type: "Input" top: "x" top: "cont" top: "s" input_param {
                 shape { dim: 5 dim: 2 dim: 3 } shape { dim: 5 dim: 2 } shape { dim: 2 dim: 7 } } }
             layer { name: "l" type: "LSTM" bottom: "x" bottom: "cont" bottom: "s" top: "h" recurrent_param { num_output: 4 } }"""
    (row,) = [row for row in summarize(graph(net)).rows if row.layer == "l"]
    assert row.parameters == 16 * 3 + 16 + 16 * 7 + 16 * 4
    assert row.flops == 2 * 2 * (5 * (16 * 3 + 16 * 4) + 16 * 7)


@pytest.mark.parametrize(
    ("value", "text"), [(0, ""), (4, "4 B"), (999, "999 B"), (999_600, "1 MB"), (1234, "1.23 kB"), (5_678_000_000_000_000, "5.68e+03 TB")]
)
def test_units(value: int, text: str) -> None:
    assert si(value, "B") == text
