"""caffe.Net with onnxruntime: what scripts see is what they see without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import caffe
import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from caffepy.onnx.blobs_engine import OnnxRuntimeEngine

CONV = 'convolution_param { num_output: 4 kernel_size: 3 pad: 1 weight_filler { type: "xavier" } bias_filler { type: "uniform" } }'
NET = f"""
name: "small"
layer {{ name: "in" type: "Input" top: "data" input_param {{ shape {{ dim: 2 dim: 3 dim: 8 dim: 8 }} }} }}
layer {{ name: "conv1" type: "Convolution" bottom: "data" top: "conv1" {CONV} }}
layer {{ name: "relu1" type: "ReLU" bottom: "conv1" top: "conv1" }}
layer {{ name: "conv2" type: "Convolution" bottom: "conv1" top: "conv2" {CONV} }}
layer {{ name: "sum" type: "Eltwise" bottom: "conv1" bottom: "conv2" top: "sum" }}
layer {{ name: "ip" type: "InnerProduct" bottom: "sum" top: "ip"
  inner_product_param {{ num_output: 5 weight_filler {{ type: "xavier" }} }} }}
layer {{ name: "prob" type: "Softmax" bottom: "ip" top: "prob" }}
force_backward: true
"""
Pair = tuple[caffe.Net, caffe.Net]


@pytest.fixture
def nets(tmp_path: Path) -> Pair:
    """The same net by torch and by onnxruntime."""
    (tmp_path / "net.prototxt").write_text(NET)
    ours = caffe.Net(str(tmp_path / "net.prototxt"), caffe.TEST)
    ours.save(str(tmp_path / "net.caffemodel"))
    theirs = caffe.Net(str(tmp_path / "net.prototxt"), caffe.TEST, weights=str(tmp_path / "net.caffemodel"), engine="onnxruntime")
    assert isinstance(theirs._engine, OnnxRuntimeEngine)
    return ours, theirs


def picture(seed: int, shape: tuple[int, ...] = (2, 3, 8, 8)) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def forward(nets: Pair, seed: int = 0) -> None:
    """A pass of both on the same picture, and their outputs compared."""
    found = []
    for net in nets:
        net.blobs["data"].data[...] = picture(seed, net.blobs["data"].shape)
        found.append(net.forward()["prob"].copy())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-4, atol=1e-6)


def same_blobs(nets: Pair) -> None:
    ours, theirs = nets
    for name, blob in ours.blobs.items():
        np.testing.assert_allclose(theirs.blobs[name].data, blob.data, rtol=1e-4, atol=1e-5, err_msg=name)


def test_every_blob(nets: Pair) -> None:
    forward(nets)
    assert nets[1]._engine._inputs is not None
    same_blobs(nets)
    forward(nets, 1)
    same_blobs(nets)


def test_an_array_of_a_blob_follows_the_passes(nets: Pair) -> None:
    forward(nets)
    views = [net.blobs["prob"].data for net in nets]
    forward(nets, 1)
    np.testing.assert_allclose(views[1], views[0], rtol=1e-4, atol=1e-6)


def test_blobs_belong_to_the_pass_and_not_to_what_the_input_is_now(nets: Pair) -> None:
    forward(nets)
    nets[1].blobs["data"].data[...] = 7
    np.testing.assert_allclose(nets[1].blobs["conv2"].data, nets[0].blobs["conv2"].data, rtol=1e-4, atol=1e-5)
    assert (nets[1].blobs["data"].data == 7).all()


def test_an_output_that_was_written_to_stays(nets: Pair) -> None:
    forward(nets)
    nets[1].blobs["prob"].data[...] = 3
    assert nets[1].blobs["sum"].data.any()
    assert (nets[1].blobs["prob"].data == 3).all()


@pytest.mark.parametrize("shape", [(5, 3, 8, 8), (1, 3, 8, 8)])
def test_another_batch(nets: Pair, shape: tuple[int, ...]) -> None:
    forward(nets)
    for net in nets:
        net.blobs["data"].reshape(*shape)
    forward(nets, 2)
    assert nets[1].blobs["conv2"].shape == (shape[0], 4, 8, 8)
    same_blobs(nets)


def surgery(net: caffe.Net) -> None:
    net.params["conv1"][0].data[...] *= -2


def by_an_old_array(net: caffe.Net) -> None:
    array = net.params["ip"][0].data
    net.forward()
    array[0] += 1


def by_a_file(net: caffe.Net, folder: Path) -> None:
    surgery(net)
    net.save(str(folder / "other.caffemodel"))
    net.params["conv1"][0].data[...] = 0
    net.forward()
    net.copy_from(str(folder / "other.caffemodel"))


@pytest.mark.parametrize("change", [surgery, by_an_old_array])
def test_changed_parameters_count(nets: Pair, change: Callable[[caffe.Net], None]) -> None:
    forward(nets)
    before = nets[1].blobs["prob"].data.copy()
    for net in nets:
        change(net)
    forward(nets)
    assert np.abs(nets[1].blobs["prob"].data - before).max() > 1e-3


def test_copied_parameters_count(nets: Pair, tmp_path: Path) -> None:
    for net in nets:
        by_a_file(net, tmp_path)
    forward(nets)


@pytest.mark.parametrize("lender", [0, 1])
def test_shared_parameters_count(nets: Pair, lender: int) -> None:
    borrower = nets[1 - lender]
    borrower.share_with(nets[lender])
    forward(nets)
    nets[0].params["conv2"][0].data[...] *= 3
    forward(nets)
    nets[1].params["conv2"][0].data[...] *= 3
    forward(nets)
    same_blobs(nets)


def test_parts_of_passes_and_backward(nets: Pair) -> None:
    forward(nets)
    for net in nets:
        net.blobs["sum"].data[...] = 1
    ends = [net.forward(start="ip")["prob"].copy() for net in nets]
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-4)
    forward(nets, 1)
    diffs = [net.backward(prob=np.eye(5, dtype=np.float32)[:2])["data"].copy() for net in nets]
    assert np.abs(diffs[0]).max() > 1e-3
    np.testing.assert_allclose(diffs[1], diffs[0], rtol=1e-3, atol=1e-6)


def test_hooks_see_every_layer(nets: Pair) -> None:
    told: list[int] = []
    nets[1].after_forward(told.append)
    forward(nets)
    assert told == list(range(len(nets[1].layers)))


def test_many_items(nets: Pair) -> None:
    found = [net.forward_all(data=picture(3, (5, 3, 8, 8)), blobs=["conv1"]) for net in nets]
    for name in ("prob", "conv1"):
        np.testing.assert_allclose(found[1][name], found[0][name], rtol=1e-4, atol=1e-5)


def test_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net.prototxt").write_text(NET)
    monkeypatch.setenv("CAFFEPY_ENGINE", "onnxruntime")
    assert isinstance(caffe.Net(str(tmp_path / "net.prototxt"), caffe.TEST)._engine, OnnxRuntimeEngine)
    assert not isinstance(caffe.Net(str(tmp_path / "net.prototxt"), caffe.TRAIN)._engine, OnnxRuntimeEngine)
    monkeypatch.setenv("CAFFEPY_ENGINE", "")
    assert not isinstance(caffe.Net(str(tmp_path / "net.prototxt"), caffe.TEST)._engine, OnnxRuntimeEngine)
    monkeypatch.setenv("CAFFEPY_ENGINE", "fast")
    with pytest.raises(ValueError, match="CAFFEPY_ENGINE is 'fast'; needed: 'torch', 'onnxruntime', 'openvino' or 'auto'"):
        caffe.Net(str(tmp_path / "net.prototxt"), caffe.TEST)


def test_a_layer_without_onnx_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "net.prototxt").write_text(
        NET + 'layer { name: "odd" type: "BatchNorm" bottom: "sum" top: "odd" batch_norm_param { use_global_stats: false } }'
    )
    net = caffe.Net(str(tmp_path / "net.prototxt"), caffe.TEST, engine="onnxruntime")
    assert not isinstance(net._engine, OnnxRuntimeEngine)
    assert capsys.readouterr().err.count("runs without onnxruntime: layer 'odd' (BatchNorm)") == 1
