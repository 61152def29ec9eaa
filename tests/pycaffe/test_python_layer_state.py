"""What a layer written in Python finds in its blobs between passes, and what is told of a class that is no layer."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import caffe
import numpy as np
import pytest

from caffepy.errors import LayerError
from tests.pycaffe.nets import ToFile

MODULE = '''
import caffe
import numpy


class Times(caffe.Layer):
    calls = []

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].shape)

    def forward(self, bottom, top):
        self.calls.append("forward")
        top[0].data[...] = 10 * bottom[0].data

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = 10 * top[0].diff


class Counts(caffe.Layer):
    """Its top is filled in setup, and one element of it grows."""

    def setup(self, bottom, top):
        top[0].reshape(3)
        top[0].data[...] = 7

    def forward(self, bottom, top):
        top[0].data[0] += 1


class Assigns(Times):
    def forward(self, bottom, top):
        top[0].data = bottom[0].data


class NoForward(caffe.Layer):
    pass


class NoBackward(Times):
    backward = caffe.Layer.backward


class NotOne:
    pass


class Breaks(caffe.Layer):
    def __init__(self, param):
        raise KeyError("no way")
'''
NET = """
force_backward: true
layer {{ name: "in" type: "Input" top: "data" input_param {{ shape {{ dim: 2 dim: 3 }} }} }}
layer {{ name: "py" type: "Python" bottom: "data" top: "out" python_param {{ module: "{}" layer: "{}" }} }}
"""


@pytest.fixture(autouse=True)
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "stateful.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "fails.py").write_text("raise ValueError('at import')", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in ("stateful", "fails"):
        sys.modules.pop(name, None)


def test_backward_alone_does_not_run_the_layer_forward(to_file: ToFile) -> None:
    net = caffe.Net(to_file(NET.format("stateful", "Times")), caffe.TRAIN)
    assert (net.backward(out=np.full((2, 3), 7))["data"] == 70).all()
    assert sys.modules["stateful"].Times.calls == []


def test_a_top_keeps_what_the_layer_put_there(to_file: ToFile) -> None:
    net = caffe.Net(to_file(NET.format("stateful", "Counts").replace('bottom: "data"', "")), caffe.TRAIN)
    net.forward()
    assert net.forward()["out"].tolist() == [9, 7, 7]


def _pass(path: str) -> None:
    net = caffe.Net(path, caffe.TRAIN)
    net.forward()
    net.backward()


@pytest.mark.parametrize(
    ("module", "layer", "words"),
    [
        ("stateful", "Assigns", "Assigns.forward raised AttributeError.*data"),
        ("stateful", "NoForward", r"NoForward.forward raised NotImplementedError: needed: a method forward\(self, bottom, top\)"),
        ("stateful", "NoBackward", "raised NotImplementedError: needed: a method backward"),
        ("stateful", "NotOne", "has no class 'NotOne'; needed: a subclass of caffe.Layer"),
        ("stateful", "numpy", "has no class 'numpy'"),
        ("stateful", "Breaks", "Breaks.__init__ raised KeyError: 'no way'"),
        ("fails", "Any", "'fails' cannot be imported: ValueError: at import"),
    ],
)
def test_what_is_no_layer(to_file: ToFile, module: str, layer: str, words: str) -> None:
    with pytest.raises(LayerError, match=f"layer 'py' .*{words}"):
        _pass(to_file(NET.format(module, layer)))
