"""The registry: every type once, with its docstring, its file and its test."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import caffepy.layers
from caffepy.errors import LayerError
from caffepy.layers.base import Layer
from caffepy.layers.registry import LAYERS, layer_class, register_layer

BVLC = """
AbsVal Accuracy ArgMax BNLL BatchNorm BatchReindex Bias Clip Concat ContrastiveLoss Convolution Crop Data Deconvolution Dropout
DummyData ELU Eltwise Embed EuclideanLoss Exp Filter Flatten HDF5Data HDF5Output HingeLoss Im2col ImageData InfogainLoss
InnerProduct Input LRN LSTM LSTMUnit Log MVN MemoryData MultinomialLogisticLoss PReLU Parameter Pooling Power Python RNN ReLU
Reduction Reshape SPP Scale Sigmoid SigmoidCrossEntropyLoss Silence Slice Softmax SoftmaxWithLoss Split Swish TanH Threshold Tile
WindowData
"""
SECTIONS = ["Bottom", "Top", "Params", "Proto", "Differs from torch", "Source"]


def test_every_type_of_bvlc_caffe() -> None:
    assert set(BVLC.split()) <= set(LAYERS)


def test_modules_are_listed_in_order() -> None:
    names = caffepy.layers.__all__
    assert names == sorted(names)
    modules = {Path(inspect.getfile(cls)).stem for cls in LAYERS.values()}
    assert modules <= set(names)


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
    assert (root / "tests/layers" / f"test_{Path(inspect.getfile(cls)).stem}.py").is_file()


# what a class says of itself holds for those derived from it: here is who is meant
CONVOLUTIONS = "Convolution Convolution3D ConvolutionDepthwise Deconvolution DepthwiseConvolution"
SAID = {
    "sums_products": f"{CONVOLUTIONS} InnerProduct",
    "any_precision": "BatchNorm Concat Crop Dropout Eltwise Flatten Pooling ReLU Reshape Silence Slice SpatialDropout Split Tile",
    "adds_up": f"{CONVOLUTIONS} InnerProduct BatchNorm Scale",
    "hands_on": "Concat Dropout Eltwise Flatten LRN Pooling ReLU SpatialDropout Split",
    "item_by_item": "Eltwise LRN Pooling ReLU Split",
    "caffe_copies": "Crop Dropout Slice SpatialDropout",
    "undivided": "AnnotatedData DenseImageData DummyData ImageLabelmapData MemoryData VideoData WindowData",
}


@pytest.mark.parametrize("name", SAID)
def test_what_layers_say_of_themselves(name: str) -> None:
    assert {layer_type for layer_type, cls in LAYERS.items() if getattr(cls, name) is True} == set(SAID[name].split())


def test_a_type_is_registered_once() -> None:
    with pytest.raises(ValueError, match="ReLU is registered twice"):
        register_layer("ReLU")(Layer)


def test_unknown_types_name_the_nearest() -> None:
    with pytest.raises(LayerError, match=r"Unknown layer type: RELU .*known types: .*nearest: '[A-Z]"):
        layer_class("RELU")


def test_a_forks_type_that_is_not_here_names_a_way_around() -> None:
    with pytest.raises(
        LayerError, match=r"Unknown layer type: MultiStageMeanfield \(fork: torrvision/crfasrnn\).*; needed: the net without"
    ):
        layer_class("MultiStageMeanfield")
