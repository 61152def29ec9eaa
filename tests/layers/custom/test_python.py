"""Layers that users write in Python."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest
import torch

from caffepy.engine.arena import Arena
from caffepy.engine.initialise import initialise
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.layers.core.random import CaffeRandom
from caffepy.net import compile
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from tests.layers.check import TEST, TRAIN, check_layer, refusal, subject, tops
from tests.layers.users import IN_FLOAT32, WEIGHTED, lay_out, layer

MODULE = '''
import json
import caffe

class Scale(caffe.Layer):
    """Top = factor * bottom, the factor from param_str."""

    def setup(self, bottom, top):
        self.factor = json.loads(self.param_str or "1")

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].data.shape)

    def forward(self, bottom, top):
        top[0].data[...] = self.factor * bottom[0].data

    def backward(self, top, propagate_down, bottom):
        if propagate_down[0]:
            bottom[0].diff[...] = self.factor * top[0].diff
'''
MODULE += WEIGHTED
MODULE += '''


class Configured(caffe.Layer):
    """Top = what a table has for the phase, by its name and by its number."""

    def setup(self, bottom, top):
        self.times = {"TRAIN": 2, "TEST": 3}[str(self.phase)]
        self.more = {0: 10, 1: 20}[self.phase]

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].data.shape)

    def forward(self, bottom, top):
        top[0].data[...] = self.times + self.more

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = 0


class Pair(caffe.Layer):
    """A data layer: no bottom, two tops, counting its passes."""

    def setup(self, bottom, top):
        self.passes = 0

    def reshape(self, bottom, top):
        top[0].reshape(2, 3)
        top[1].reshape(2)

    def forward(self, bottom, top):
        self.passes += 1
        top[0].data[...] = self.passes
        top[1].data[...] = self.phase

    def backward(self, top, propagate_down, bottom):
        pass


class Broken(Scale):
    def forward(self, bottom, top):
        raise ValueError("no luck today")


class Growing(Scale):
    """One row more in each pass."""

    rows = 0

    def reshape(self, bottom, top):
        top[0].reshape(max(1, self.rows), 2)

    def forward(self, bottom, top):
        self.rows += 1
        top[0].reshape(self.rows, 2)
        top[0].data[...] = self.rows
'''


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module of users' layers in the working folder."""
    lay_out(MODULE, tmp_path, monkeypatch)


def test_forward_and_backward() -> None:
    check_layer(layer("Scale", 'param_str: "2.5"'), no_gradcheck=IN_FLOAT32, x=(2, 3))


def test_param_str() -> None:
    assert tops(layer("Scale", 'param_str: "-2"'), x=[1, 2])[0].tolist() == [-2, -4]
    assert tops(layer("Scale"), x=[1, 2])[0].tolist() == [1, 2]


def test_its_own_parameters() -> None:
    it = check_layer(layer("Weighted"), no_gradcheck=IN_FLOAT32, x=(2, 3))
    assert torch.equal(it.forward()[0], it.blobs()[0] * it.bottoms()[0])


def test_parameters_start_with_what_setup_gives_them() -> None:
    assert tops(layer("Weighted"), x=[1, 2])[0].tolist() == [3, 6]


@pytest.mark.parametrize("phase", [TRAIN, TEST])
def test_a_data_layer_sees_its_phase(phase: int) -> None:
    it = subject(layer("Pair", blobs='top: "d" top: "t"'), phase=phase)
    for passes in (1, 2):
        data, label = it.forward()
        assert data.unique().tolist() == [passes]
        assert label.tolist() == [phase, phase]


def test_parameters_are_shared_between_the_phases() -> None:
    engines = []
    arena = None
    for phase in (TRAIN, TEST):
        message = caffe_pb2.NetParameter()
        text = 'layer { name: "x" type: "Input" top: "x" input_param { shape { dim: 2 } } }' + layer("Weighted")
        parse(text, message, file="net.prototxt")
        message.state.phase = phase
        graph = compile(message)
        arena = Arena(graph, share=arena)
        initialise(graph, arena, CaffeRandom(1))
        engines.append(LayerwiseEngine(graph, arena, CaffeRandom(1)))
    train, test = engines
    train.params[0].data.copy_(torch.tensor([5.0, 7]))
    test.blobs["x"].data.fill_(1)
    test.forward()
    assert test.blobs["y"].data.tolist() == [5, 7]


def test_tops_may_change_their_shape_in_forward() -> None:
    it = subject(layer("Growing"), x=(2,))
    assert [tuple(it.forward()[0].shape) for _ in range(3)] == [(1, 2), (2, 2), (3, 2)]


def test_errors_name_the_users_code() -> None:
    message = refusal(layer("Broken"), x=(2,))
    assert "Broken.forward raised ValueError: no luck today" in message
    line = next(n for n, text in enumerate(MODULE.splitlines(), start=1) if "no luck" in text)
    assert f"users_layers.py:{line}" in message


def test_refusals() -> None:
    assert "has no class 'Scales'" in refusal(layer("Scales"), x=(2,))
    missing = layer("Scale").replace("users_layers", "nobodys_layers")
    assert "python_param.module 'nobodys_layers' cannot be imported: ModuleNotFoundError" in refusal(missing, x=(2,))
    for file in ("users_layers.py", "lib/users_layers"):
        assert "needed: a name as after import, without folders and .py" in refusal(layer("Scale").replace("users_layers", file), x=(2,))
    Path("bad_layers.py").write_text("class :\n")
    assert "SyntaxError" in refusal(layer("Scale").replace("users_layers", "bad_layers"), x=(2,))


def test_another_caffe_that_was_imported_before_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    other = types.ModuleType("caffe")
    other.__path__ = ["/opt/caffe"]
    monkeypatch.setitem(sys.modules, "caffe", other)
    note = "; this process has imported another caffe, /opt/caffe: for layers that caffepy runs, import caffepy.pycaffe as caffe"
    Path("other_layers.py").write_text("import caffe\nclass L(caffe.Layer): pass\n")
    assert refusal(layer("L").replace("users_layers", "other_layers"), x=(2,)).endswith(f"no attribute 'Layer'{note}")
    Path("other_users.py").write_text("class L:\n    def __init__(self): pass\n    def forward(self, bottom, top): pass\n")
    assert "L.__init__ raised TypeError" in (said := refusal(layer("L").replace("users_layers", "other_users"), x=(2,)))
    assert said.endswith(note)


@pytest.mark.parametrize(("phase", "value"), [(TRAIN, 12), (TEST, 23)])
def test_a_phase_is_a_number_and_a_name(phase: int, value: int) -> None:
    it = subject(layer("Configured"), phase=phase, x=(1,))
    assert it.forward()[0] == value
    found = it.layer.instance.phase
    assert (found == phase, f"{found}", f"{found:d}", repr(found)) == (True, ("TRAIN", "TEST")[phase], str(phase), str(phase))
