"""Nets whose blobs are those of a GPU, with copies for who looks at them, do what nets of the CPU do; shown on the CPU."""

from __future__ import annotations

from pathlib import Path

import caffe
import numpy as np
import pytest
import torch

from caffepy.engine import layerwise
from caffepy.engine.blob import Blob, MirroredBlob
from tests.pycaffe.nets import DEPLOY, SOLVER, TRAINED, ToFile


@pytest.fixture(params=[Blob, MirroredBlob], ids=["plain", "mirrored"], autouse=True)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[Blob]:
    """The class of all blobs."""
    monkeypatch.setattr(layerwise, "new_blob", request.param)
    return request.param


def test_editing_between_passes(to_file: ToFile) -> None:
    net = caffe.Net(to_file(DEPLOY), caffe.TEST)
    net.blobs["data"].data[...] = 1
    net.params["conv"][0].data[...] = 0
    net.params["conv"][1].data[...] = [1, 2, 3, -4]
    net.forward()
    assert net.blobs["conv"].data[0, :, 0, 0].tolist() == [1, 2, 3, 0]
    net.blobs["pool"].data[...] = 5
    weight = net.params["score"][0].data
    np.testing.assert_allclose(
        net.forward(start="score")["prob"][0, :, 0, 0], np.exp(z := 5 * weight.sum((1, 2, 3))) / np.exp(z).sum(), rtol=1e-5
    )
    net.params["score"][1].data[0] = 100
    assert net.forward()["prob"][0, 0].min() == pytest.approx(1)
    net.blobs["pool"].diff[...] = 1
    assert net.backward(start="pool")["data"].sum() == pytest.approx(0)
    assert net.params["conv"][1].diff.tolist() == [8, 8, 8, 0]
    net.clear_param_diffs()
    assert not net.params["conv"][1].diff.any()


def test_weights_from_files_and_other_nets(to_file: ToFile, tmp_path: Path) -> None:
    net, other = caffe.Net(to_file(DEPLOY), caffe.TEST), caffe.Net(to_file(DEPLOY), caffe.TEST)
    net.params["conv"][0].data[...] = 3
    net.save(tmp_path / "net.caffemodel")
    other.params["conv"][0].data[...] = 4
    other.copy_from(tmp_path / "net.caffemodel")
    assert (other.params["conv"][0].data == 3).all()
    net.params["conv"][0].data[...] = 5
    other.share_with(net)
    other.forward()
    assert (other.params["conv"][0].data == 5).all()


def test_training_by_hand(to_file: ToFile, tmp_path: Path) -> None:
    solver = caffe.get_solver(to_file(SOLVER.format(net=to_file(TRAINED), folder=tmp_path), "solver.prototxt"))
    weight = solver.net.params["ip"][0]
    weight.data[...] = 0
    solver.net.clear_param_diffs()
    weight.diff[...] = 1
    solver.apply_update()
    np.testing.assert_allclose(weight.data, -0.01, rtol=1e-6)
    solver.step(1)
    assert not np.allclose(weight.data, -0.01)
    weight.data[...] = 2
    solver.add_callback(lambda: None, lambda: weight.diff.fill(0))
    before = solver.net.params["ip"][1].data.copy()
    solver.param.momentum = 0
    solver.step(1)
    assert solver.iter == 3
    assert not np.array_equal(solver.net.params["ip"][1].data, before)
    solver.test_nets[0].forward()
    solver.snapshot()
    again = caffe.get_solver(str(tmp_path / "solver.prototxt"))
    again.restore(tmp_path / "model_iter_3.solverstate")
    np.testing.assert_array_equal(again.net.params["ip"][0].data, weight.data)


def test_the_memory_of_an_array(to_file: ToFile, kind: type[Blob]) -> None:
    net = caffe.Net(to_file(DEPLOY), caffe.TEST)
    view = net.blobs["data"].data
    assert np.shares_memory(view, net.blobs["data"].data)
    tensor: torch.Tensor = net._engine.blobs["data"].data
    assert np.shares_memory(view, tensor.numpy()) == (kind is Blob)
