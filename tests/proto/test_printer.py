"""Text as C++ protobuf prints it."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caffepy.proto import caffe_pb2, text
from caffepy.proto.printer import double_text, float_text, to_text


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.1, "0.1"),
        (1.0, "1"),
        (0.0001, "0.0001"),
        (1e-5, "1e-05"),
        (1e20, "1e+20"),
        (1e6, "1e+06"),
        (1 / 3, "0.333333343"),
        (123456.789, "123456.789"),
        (16777216.0, "16777216"),
        (-0.0, "-0"),
        (3.4028234663852886e38, "3.40282347e+38"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
    ],
)
def test_floats(value, said):
    assert float_text(float(np.float32(value))) == said


def test_doubles():
    assert [double_text(v) for v in (0.1, 1 / 3, 1e22, 2.0)] == [
        "0.1",
        "0.33333333333333331",
        "1e+22",
        "2",
    ]


def test_a_message():
    net = caffe_pb2.NetParameter(name="a\"b\\c\n\té'", force_backward=True)
    layer = net.layer.add(
        name="p", type="Pooling", propagate_down=[True, False], phase=caffe_pb2.TEST
    )
    layer.pooling_param.pool = caffe_pb2.PoolingParameter.AVE
    layer.blobs.add(data=[1, 0.5], raw_data=b"\x00\xff")
    net.layer.add()
    assert to_text(net) == (
        'name: "a\\"b\\\\c\\n\\t\\303\\251\\\'"\nforce_backward: true\nlayer {\n  name: "p"\n  type: "Pooling"\n'
        '  blobs {\n    data: 1\n    data: 0.5\n    raw_data: "\\000\\377"\n  }\n  phase: TEST\n  propagate_down: true\n'
        "  propagate_down: false\n  pooling_param {\n    pool: AVE\n  }\n}\nlayer {\n}\n"
    )
    assert to_text(caffe_pb2.NetParameter()) == ""


@given(
    st.floats(width=32),
    st.floats(),
    st.binary(max_size=20),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
def test_values_come_back(single, double, raw, name):
    net = caffe_pb2.NetParameter(name=name)
    net.layer.add(loss_weight=[single]).blobs.add(double_data=[double], raw_data=raw)
    back = caffe_pb2.NetParameter()
    text.parse(to_text(net), back, file="x")
    assert to_text(back) == to_text(net)
    assert back == net or math.isnan(single) or math.isnan(double)


def test_logs_of_the_real_caffe(shared):
    """Every net and solver in the recorded logs is printed the same again."""
    start = re.compile(r"Initializing (net|solver) from parameters")
    for path in sorted((shared / "golden/cli").glob("train_*/stderr.norm.txt")):
        lines = path.read_text(errors="replace").split("\n")
        for at, line in enumerate(lines):
            if found := start.search(line):
                length = next(
                    i
                    for i, following in enumerate(lines[at + 1 :])
                    if re.match(r"[IWEF] ", following)
                )
                printed = "\n".join(lines[at + 1 : at + 1 + length]) + "\n"
                message = (
                    caffe_pb2.NetParameter() if found[1] == "net" else caffe_pb2.SolverParameter()
                )
                text.parse(printed, message, file=str(path))
                assert to_text(message).rstrip("\n") == printed.rstrip("\n")
