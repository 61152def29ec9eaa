"""Ranks that live and come no further: one line tells where they are, and the job goes on."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.mpi.launch import ROOT, finish, start, under_mpirun

pytestmark = pytest.mark.mpi

PROGRAM = """
import sys
from caffepy.cli.main import run
from caffepy.parallel.failure import local_monitor
local_monitor.PATIENCE_S = 2.0
sys.exit(run("caffe", sys.argv[1:]))
"""
LAYER = """
import time
import caffe

class Slow(caffe.Layer):
    def setup(self, bottom, top):
        self.passes = 0
    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].data.shape)
    def forward(self, bottom, top):
        self.passes += 1
        if self.passes == 4 and caffe.solver_rank() == 1:
            until = time.monotonic() + 7
            while time.monotonic() < until:
                {wait}
        top[0].data[...] = bottom[0].data
    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = top[0].diff
"""
NET = """
layer { name: "data" type: "DummyData" top: "data" top: "label" dummy_data_param { shape { dim: 4 dim: 3 } shape { dim: 4 dim: 2 } } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 2 } }
layer { name: "slow" type: "Python" bottom: "ip" top: "slow" python_param { module: "own" layer: "Slow" } }
layer { name: "loss" type: "EuclideanLoss" bottom: "slow" bottom: "label" }
"""


@pytest.mark.parametrize("wait", ["pass", "time.sleep(0.01)"], ids=["busy", "asleep"])
def test_a_layer_that_returns_late_is_told_and_waited_for(wait: str, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(LAYER.format(wait=wait))
    (tmp_path / "net.prototxt").write_text(NET)
    (tmp_path / "s.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 6 snapshot_after_train: false')
    path = os.pathsep.join([str(tmp_path), str(ROOT), str(ROOT / "caffepy/pycaffe/shim")])
    command = [*under_mpirun(2), sys.executable, "-c", PROGRAM, "train", "-solver", "s.prototxt", "-rank_timeout", "20"]
    done = finish(start(command, cwd=tmp_path, PYTHONPATH=path), limit_s=60)
    assert done.code == 0, done.err
    assert "Optimization Done." in done.err
    # a machine with much to do may also take so long elsewhere, and tell late of a rank that it comes to the layer
    lines = [line for line in done.err.splitlines() if "no rank has come any further for 2 s: rank 0 at iteration 3; " in line]
    assert any(" rank 1 at iteration 3, forward of layer 'slow'; " in line for line in lines), done.err
    assert all(line.startswith("W") for line in lines)
