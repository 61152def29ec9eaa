"""Layers that users write in Python, in a training by the command line, alone and under mpirun."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.mpi.jobs import same_but_rounding, train, weights
from tests.mpi.launch import ROOT

pytestmark = pytest.mark.mpi

LAYERS = '''
import caffe
import numpy as np


class Records(caffe.Layer):
    """Its rank's share of each batch of 8."""

    def setup(self, bottom, top):
        self.batch, self.passes = 8 // caffe.solver_count(), 0
        top[0].reshape(self.batch, 3)
        top[1].reshape(self.batch, 2)

    def reshape(self, bottom, top):
        pass

    def forward(self, bottom, top):
        mine = slice(caffe.solver_rank(), None, caffe.solver_count())
        values = np.random.RandomState(self.passes).normal(size=(8, 3))[mine]
        self.passes += 1
        top[0].data[...] = values
        top[1].data[...] = values[:, :2] * [1, -2] + 0.5

    def backward(self, top, propagate_down, bottom):
        pass


class Scaled(caffe.Layer):
    """A product with a learned number."""

    def setup(self, bottom, top):
        self.blobs.add_blob(1)
        self.blobs[0].data[...] = float(self.param_str)

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].shape)

    def forward(self, bottom, top):
        top[0].data[...] = self.blobs[0].data[0] * bottom[0].data

    def backward(self, top, propagate_down, bottom):
        self.blobs[0].diff[0] += np.sum(top[0].diff * bottom[0].data)
        if propagate_down[0]:
            bottom[0].diff[...] = self.blobs[0].data[0] * top[0].diff


class Distance(caffe.Layer):
    def setup(self, bottom, top):
        top[0].reshape(1)

    def reshape(self, bottom, top):
        pass

    def forward(self, bottom, top):
        self.difference = bottom[0].data - bottom[1].data
        top[0].data[0] = np.sum(self.difference**2) / bottom[0].num / 2

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = top[0].diff[0] * self.difference / bottom[0].num
'''
NET = """
layer { name: "records" type: "Python" top: "data" top: "target" python_param { module: "own" layer: "Records" } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "scaled" type: "Python" bottom: "ip" top: "scaled" python_param { module: "own" layer: "Scaled" param_str: "0.5" } }
layer { name: "distance" type: "Python" bottom: "scaled" bottom: "target" top: "loss" loss_weight: 1
  python_param { module: "own" layer: "Distance" } }
"""
PATH = os.pathsep.join([str(ROOT), str(ROOT / "caffepy/pycaffe/shim")])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The net, its layers, and a solver for each number of ranks."""
    folder = tmp_path_factory.mktemp("python")
    (folder / "own.py").write_text(LAYERS)
    (folder / "net.prototxt").write_text(NET)
    for name in ("alone", "two"):
        (folder / f"{name}.prototxt").write_text(
            f'net: "net.prototxt" base_lr: 0.05 momentum: 0.9 lr_policy: "fixed" max_iter: 20 random_seed: 3 snapshot_prefix: "{name}"'
        )
    return folder


def test_two_ranks_are_one_process(folder: Path) -> None:
    for name, ranks in (("alone", 0), ("two", 2)):
        done = train(folder, "-solver", f"{name}.prototxt", ranks=ranks, PYTHONPATH=PATH)
        assert done.code == 0, done.err
    same_but_rounding(folder, "alone", "two")
    assert abs(float(weights(folder / "two_iter_20.caffemodel")["scaled[0]"][0]) - 0.5) > 0.01


def test_an_error_in_a_layer_ends_all_ranks(folder: Path) -> None:
    (folder / "wrong.py").write_text(LAYERS.replace("self.passes += 1", "self.passes += caffe.solver_rank() / (3 - self.passes)"))
    (folder / "wrong_net.prototxt").write_text(NET.replace('"own"', '"wrong"'))
    (folder / "wrong.prototxt").write_text((folder / "two.prototxt").read_text().replace("net.prototxt", "wrong_net.prototxt"))
    done = train(folder, "-solver", "wrong.prototxt", ranks=2, PYTHONPATH=PATH)
    assert done.code != 0
    assert "Traceback" not in done.err
    assert any("Records.forward raised" in line for line in done.fatal())
