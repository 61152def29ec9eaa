"""The registry: every type once, with its docstring, its file and its test."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from caffepy.errors import LayerError
from caffepy.layers.core.base import Layer
from caffepy.layers.core.registry import LAYERS, layer_class, register_layer

BVLC = """
AbsVal Accuracy ArgMax BNLL BatchNorm BatchReindex Bias Clip Concat ContrastiveLoss Convolution Crop Data Deconvolution Dropout
DummyData ELU Eltwise Embed EuclideanLoss Exp Filter Flatten HDF5Data HDF5Output HingeLoss Im2col ImageData InfogainLoss
InnerProduct Input LRN LSTM LSTMUnit Log MVN MemoryData MultinomialLogisticLoss PReLU Parameter Pooling Power Python RNN ReLU
Reduction Reshape SPP Scale Sigmoid SigmoidCrossEntropyLoss Silence Slice Softmax SoftmaxWithLoss Split Swish TanH Threshold Tile
WindowData
"""
HELPERS = {"core", "common"}
"""Folders of what is no layer."""
FOLDERS = [path.parent for path in sorted(Path(inspect.getfile(Layer)).parents[1].glob("*/__init__.py"))]
SECTIONS = ["Bottom", "Top", "Params", "Proto", "Differs from torch", "Source"]


def test_every_type_of_bvlc_caffe() -> None:
    assert set(BVLC.split()) <= set(LAYERS)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_file_of_a_family_is_one_layer(folder: Path) -> None:
    """And those of the helpers are none."""
    files = [path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
    registered = [path for path in sorted(Path(inspect.getfile(cls)) for cls in LAYERS.values()) if path.parent == folder]
    assert registered == ([] if folder.name in HELPERS else files)


def test_no_layer_lies_outside_the_families() -> None:
    assert {path.name for path in FOLDERS[0].parent.glob("*.py")} == {"__init__.py"}
    assert {Path(inspect.getfile(cls)).parent for cls in LAYERS.values()} <= set(FOLDERS)


def test_a_layer_is_imported_when_it_is_asked_for(root: Path) -> None:
    code = (
        "import sys; from caffepy.layers.core.registry import LAYERS; print('ReLU' in sorted(LAYERS), 'torch' in sys.modules);"
        "LAYERS['ReLU']; print('caffepy.layers.neuron.relu' in sys.modules, 'caffepy.layers.windows.pooling' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=root, check=True, text=True, stdout=subprocess.PIPE).stdout
    assert said.split() == ["True", "False", "True", "False"]


@pytest.mark.parametrize("name", LAYERS)
def test_docstring(name: str) -> None:
    text = inspect.getdoc(LAYERS[name]) or ""
    first, _, rest = text.partition("\n")
    assert re.fullmatch(rf"\S.*\.  Caffe type ``{name}``\.", first)
    assert re.findall(r"^([A-Z][a-z ]+?):", rest, re.M) == SECTIONS


@pytest.mark.parametrize("name", [name for name, cls in LAYERS.items() if not cls.is_source])
def test_class_and_file_are_found_by_the_type(name: str, root: Path) -> None:
    cls = LAYERS[name]
    assert cls.__name__ == f"{name}Layer"
    path = Path(inspect.getfile(cls))
    assert (root / "tests/layers" / path.parent.name / f"test_{path.stem}.py").is_file()


def test_a_type_is_registered_once() -> None:
    with pytest.raises(ValueError, match="ReLU is registered twice"):
        register_layer("ReLU")(Layer)


def test_unknown_types_name_the_nearest() -> None:
    with pytest.raises(LayerError, match=r"Unknown layer type: RELU .*known types: .*nearest: '[A-Z]"):
        layer_class("RELU")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("MultiStageMeanfield", "(fork: torrvision/crfasrnn) .*; nearest way: the net without this layer"),
        ("ConfusionMatrix", "(fork: an unmerged change to BVLC Caffe) .*; nearest way: Accuracy with a second top"),
        ("SequenceAccuracy", "(fork: hzli-ucas/caffe) .*; nearest way: LabelsequenceAccuracy"),
        ("ConvLSTM", "(fork: agethen/ConvLSTM-for-Caffe) .*; nearest way: LSTM"),
        ("GANLoss", '(fork: synopsys-caffe) .*; nearest way: a layer in Python, with type: "Python"'),
    ],
)
def test_a_forks_type_that_is_not_here_names_a_way_around(name: str, said: str) -> None:
    fork, way = said.split(" .*")
    with pytest.raises(LayerError, match=f"Unknown layer type: {name} {re.escape(fork)} .*{re.escape(way)}"):
        layer_class(name)
