"""Layers written in Python: passes, shapes, parameters, param_str, phase, in training, and what they raise."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import caffe
import numpy as np
import pytest

from caffepy.errors import CaffeError, LayerError
from tests.pycaffe.nets import ToFile

MODULE = '''
import numpy as np
import caffe


class Times(caffe.Layer):
    """Ten times its bottom, or as many times as param_str says."""

    def setup(self, bottom, top):
        self.factor = float(self.param_str or 10)

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].data.shape)

    def forward(self, bottom, top):
        top[0].data[...] = self.factor * bottom[0].data

    def backward(self, top, propagate_down, bottom):
        if propagate_down[0]:
            bottom[0].diff[...] = self.factor * top[0].diff


class Doubles(caffe.Layer):
    """To work in place: the top is the bottom, and has its shape."""

    def setup(self, bottom, top):
        assert top[0].shape == bottom[0].shape

    def reshape(self, bottom, top):
        pass

    def forward(self, bottom, top):
        bottom[0].data[...] *= 2
        top[0].data[...] += 1

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] *= 2


class Raises(caffe.Layer):
    def setup(self, bottom, top):
        raise RuntimeError("not today")


class OfMine(Exception):
    def __init__(self, number, words):
        self.number = number

    def __str__(self):
        return f"number {self.number}"


class Fails(caffe.Layer):
    """Raises what param_str says."""

    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(1)

    def forward(self, bottom, top):
        raise eval(self.param_str)


class Counts(caffe.Layer):
    """A parameter that each forward raises by one, and whose gradient is 1."""

    def setup(self, bottom, top):
        self.blobs.add_blob(1)
        self.blobs[0].data[0] = 0

    def reshape(self, bottom, top):
        top[0].reshape(1)

    def forward(self, bottom, top):
        self.blobs[0].data[0] += 1
        top[0].data[0] = self.blobs[0].data[0]

    def backward(self, top, propagate_down, bottom):
        self.blobs[0].diff[0] = 1


class Phase(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape()

    def forward(self, bottom, top):
        top[0].data[()] = self.phase

    def backward(self, top, propagate_down, bottom):
        pass


class Batches(caffe.Layer):
    """A data layer: batches of one item more each time, shaped as late as in forward."""

    def setup(self, bottom, top):
        self.given = 0
        self.told = None
        top[0].reshape(1, 3)
        top[1].reshape(1)

    def tell(self, what):
        self.told = what

    def reshape(self, bottom, top):
        pass

    def forward(self, bottom, top):
        self.given += 1
        top[0].reshape(self.given, 3)
        top[1].reshape(self.given)
        top[0].data[...] = np.arange(3 * self.given).reshape(self.given, 3)
        top[1].data[...] = np.arange(self.given) % 2

    def backward(self, top, propagate_down, bottom):
        pass


class Euclidean(caffe.Layer):
    def setup(self, bottom, top):
        if len(bottom) != 2:
            raise Exception("Need two inputs to compute distance.")

    def reshape(self, bottom, top):
        self.diff = np.zeros_like(bottom[0].data)
        top[0].reshape(1)

    def forward(self, bottom, top):
        self.diff[...] = bottom[0].data - bottom[1].data
        top[0].data[...] = np.sum(self.diff**2) / bottom[0].num / 2.0

    def backward(self, top, propagate_down, bottom):
        for i, sign in enumerate((1, -1)):
            if propagate_down[i]:
                bottom[i].diff[...] = sign * self.diff / bottom[i].num * top[0].diff


class OutOfPlace(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].shape)

    def forward(self, bottom, top):
        top[0].data[...] = np.zeros(7)

    def backward(self, top, propagate_down, bottom):
        pass
'''


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The layers in a module of the test's folder, which is the working folder."""
    (tmp_path / "own_layers.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("own_layers", None)


def layer(name: str, top: str = "y", *, bottom: str = "", more: str = "") -> str:
    bottoms = " ".join(f'bottom: "{b}"' for b in bottom.split())
    tops = " ".join(f'top: "{t}"' for t in top.split())
    return f'layer {{ type: "Python" name: "{name}" {bottoms} {tops} python_param {{ module: "own_layers" layer: "{name}" {more} }} }}\n'


DATA = 'layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 10 dim: 9 dim: 8 } } }\n'
TIMES = (
    "force_backward: true\n"
    + DATA
    + "".join(layer("Times", top, bottom=bottom).replace('name: "Times"', f'name: "{top}"')
              for bottom, top in (("data", "one"), ("one", "two"), ("two", "three")))
)  # fmt: skip


def test_forward_backward_and_shapes(to_file: ToFile) -> None:
    net = caffe.Net(to_file(TIMES), caffe.TRAIN)
    net.blobs["data"].data[...] = np.arange(720).reshape(10, 9, 8)
    assert (net.forward()["three"] == 1000 * np.arange(720).reshape(10, 9, 8)).all()
    net.blobs["three"].diff[...] = 7
    assert (net.backward()["data"] == 7000).all()
    net.blobs["data"].reshape(4, 9, 1)
    net.reshape()
    assert net.blobs["three"].data.shape == (4, 9, 1)
    net.blobs["data"].reshape(3, 5)
    assert net.forward()["three"].shape == (3, 5)


def test_in_place(to_file: ToFile) -> None:
    net = caffe.Net(
        to_file("""force_backward: true
        layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 } } }
        layer { name: "tanh" type: "TanH" bottom: "data" top: "x" }
        layer { name: "double" type: "Python" bottom: "x" top: "x" python_param { module: "own_layers" layer: "Doubles" } }
        layer { name: "times" type: "Power" bottom: "x" top: "y" power_param { scale: 3 } }"""),
        caffe.TRAIN,
    )
    for items in (2, 4):
        net.blobs["data"].reshape(items, 3)
        net.blobs["data"].data[...] = 0.5
        net.forward()
        np.testing.assert_allclose(net.blobs["x"].data, np.full((items, 3), 2 * np.tanh(0.5) + 1), rtol=1e-6)
        net.backward(y=np.ones((items, 3)), start="times", end="double")
        np.testing.assert_array_equal(net.blobs["x"].diff, np.full((items, 3), 6))


def test_param_str(to_file: ToFile) -> None:
    text = DATA + layer("Times", bottom="data", more='param_str: "-2.5"')
    net = caffe.Net(to_file(text), caffe.TEST)
    net.blobs["data"].data[...] = 2
    assert (net.forward()["y"] == -5).all()


def test_what_the_layer_raises_is_told_with_its_place(to_file: ToFile, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"net.prototxt:2:1: layer 'Raises' \(Python\): Raises.setup raised RuntimeError: not today"):
        caffe.Net(to_file(DATA + layer("Raises", bottom="data")), caffe.TEST)
    net = caffe.Net(to_file(DATA + layer("OutOfPlace", bottom="data")), caffe.TEST)
    with pytest.raises(LayerError, match=r"OutOfPlace.forward raised ValueError: could not broadcast.*own_layers.py:\d+"):
        net.forward()
    with pytest.raises(CaffeError, match="own_layers' has no class 'Nothing'"):
        caffe.Net(to_file(layer("Nothing")), caffe.TEST)
    with pytest.raises(CaffeError, match="'nowhere' cannot be imported"):
        caffe.Net(to_file(layer("Times").replace("own_layers", "nowhere")), caffe.TEST)


@pytest.mark.parametrize(
    ("raised", "kind", "words"),
    [
        ("ValueError('a')", ValueError, "a"),
        ("KeyError('k')", KeyError, "'k'"),
        ("AssertionError('q')", AssertionError, "q"),
        ("FileNotFoundError(2, 'none', 'f')", OSError, "none: 'f'"),
        ("UnicodeDecodeError('utf8', b'x', 0, 1, 'odd')", UnicodeDecodeError, "odd"),
        ("OfMine(3, '')", "OfMine", "number 3"),
        ("StopIteration()", RuntimeError, ""),
    ],
)
def test_what_the_layer_raises_is_caught_as_such(to_file: ToFile, raised: str, kind: type[Exception] | str, words: str) -> None:
    """As in Caffe, whose module hands it on; and as any other error of a layer. What was raised is its cause."""
    net = caffe.Net(to_file(layer("Fails", more=f'param_str: "{raised}"')), caffe.TEST)
    kind = getattr(sys.modules["own_layers"], kind) if isinstance(kind, str) else kind
    with pytest.raises(
        LayerError, match=rf"net.prototxt:1:1: .* raised {raised.split('(')[0]}: .*{words} \(.*own_layers.py:\d+\)$"
    ) as found:
        net.forward()
    assert isinstance(found.value, kind)
    assert type(found.value.__cause__).__name__ == raised.split("(")[0]


def test_a_module_that_is_not_there(to_file: ToFile) -> None:
    with pytest.raises(ImportError, match="'nowhere' cannot be imported"):
        caffe.Net(to_file(layer("Times").replace("own_layers", "nowhere")), caffe.TEST)
    with pytest.raises(AttributeError, match="own_layers' has no class 'Nothing'"):
        caffe.Net(to_file(layer("Nothing")), caffe.TEST)


def test_parameters(to_file: ToFile, tmp_path: Path) -> None:
    net = caffe.Net(to_file("force_backward: true\n" + layer("Counts")), caffe.TRAIN)
    assert net.params["Counts"][0].data[0] == 0
    net.forward()
    assert net.params["Counts"][0].data[0] == 1
    assert net.forward()["y"].tolist() == [2]
    net.backward()
    assert net.params["Counts"][0].diff.tolist() == [1]
    net.save(tmp_path / "counted.caffemodel")
    other = caffe.Net(to_file(layer("Counts")), str(tmp_path / "counted.caffemodel"), caffe.TEST)
    assert other.layers[0].blobs[0].data[0] == 2
    other.params["Counts"][0].data[0] = 10
    assert other.forward()["y"].tolist() == [11]


@pytest.mark.parametrize("phase", [caffe.TRAIN, caffe.TEST])
def test_phase(to_file: ToFile, phase: int) -> None:
    assert caffe.Net(to_file(layer("Phase")), phase).forward()["y"] == phase


def test_the_object_itself_is_in_layers(to_file: ToFile) -> None:
    """Scripts hand data to their layer by a method of its own."""
    net = caffe.Net(to_file(layer("Batches", "data label")), caffe.TRAIN)
    net.layers[0].tell("something")
    net.forward()
    assert (net.layer_dict["Batches"].told, net.layers[0].given) == ("something", 1)
    assert (net.layers[0].type, net.layers[0].param_str_) == ("Python", "")


def test_a_data_layer_that_shapes_its_tops_in_forward(to_file: ToFile) -> None:
    text = layer("Batches", "data label") + (
        'layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 2 } }'
        'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }'
    )
    net = caffe.Net(to_file(text), caffe.TRAIN)
    for batch in (1, 2, 3):
        net.forward()
        net.backward()
        assert net.blobs["ip"].data.shape == (batch, 2)
        assert net.blobs["data"].data[-1].tolist() == [3 * batch - 3, 3 * batch - 2, 3 * batch - 1]


def test_training_with_a_data_layer_and_a_loss_in_python(to_file: ToFile) -> None:
    """The same weights as with Caffe's own loss."""
    text = """
layer { name: "data" type: "DummyData" top: "data" top: "target"
  dummy_data_param { shape { dim: 4 dim: 3 } shape { dim: 4 dim: 2 }
    data_filler { type: "gaussian" std: 1 } data_filler { type: "uniform" min: -1 max: 1 } } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
"""
    own = layer("Euclidean", "loss", bottom="ip target").replace("python_param", "loss_weight: 1 python_param")
    builtin = 'layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "target" top: "loss" }'
    weights = []
    for number, loss in enumerate((own, builtin)):
        net = to_file(text + loss, f"net{number}.prototxt")
        solver = caffe.SGDSolver(
            to_file(f'net: "{net}" base_lr: 0.1 lr_policy: "fixed" momentum: 0.9 max_iter: 9 random_seed: 5', f"solver{number}.prototxt")
        )
        solver.step(5)
        weights.append(solver.net.params["ip"][0].data.copy())
    np.testing.assert_allclose(*weights, rtol=1e-5)
    assert np.abs(weights[0]).max() > 0.1


def test_one_class_in_several_nets(to_file: ToFile) -> None:
    nets = [
        caffe.Net(to_file(layer("Times", bottom="data", more=f'param_str: "{n}"').join([DATA, ""]), f"{n}.prototxt"), 1) for n in (2, 3)
    ]
    for net, factor in zip(nets, (2, 3)):
        net.blobs["data"].data[...] = 1
        assert (net.forward()["y"] == factor).all()
