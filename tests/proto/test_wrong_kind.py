"""Nets given as solvers, and solvers given as nets."""

from __future__ import annotations

import pytest

from caffepy.errors import PrototxtError
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.proto.wrong_kind import SolverGiven


@pytest.mark.parametrize(
    ("text", "its"),
    [
        ('# net: "no"\nbase_lr: 1\nnet: "a" ', "; its net is 'a'"),
        ('train_net: "a"\ntest_net: \'b\'\ntest_net: "a"', "; its nets are 'a', 'b'"),
        ("max_iter: 1\nnet_param {\n layer { name: 'a' }\n}", "; its net is written in it"),
        ("lr_policy: 'fixed'", ", which names no net"),
        ('net: "a"\nno_such_field: 1', "; its net is 'a'"),
    ],
)
def test_a_solver_is_no_net(text: str, its: str) -> None:
    with pytest.raises(SolverGiven) as refused:
        parse(text, caffe_pb2.NetParameter(), file="s.prototxt")
    assert str(refused.value) == f"s.prototxt: this is a solver{its}; needed: a net"


@pytest.mark.parametrize(
    "text", ['layer { name: "a" }', "name: 'n'\nlayers {\n type: RELU }\n no: 1"]
)
def test_a_net_is_no_solver(text: str) -> None:
    with pytest.raises(
        PrototxtError,
        match='^n.prototxt: this is a net; needed: a solver, which names it by net: "n.prototxt"$',
    ):
        parse(text, caffe_pb2.SolverParameter(), file="n.prototxt")


@pytest.mark.parametrize(
    "text", ["layer { name: 'a' }\nbase_lr: 1", "layer { base_lr: 1 }", "no: 1"]
)
def test_a_net_with_a_fault_is_still_a_net(text: str) -> None:
    with pytest.raises(PrototxtError, match="has no field"):
        parse(text, caffe_pb2.NetParameter(), file="n.prototxt")
