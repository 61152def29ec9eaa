"""The example nets, solvers and scripts: readable, complete, and with the figures people know."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

SOLVERS = {
    "cifar10/cifar10_quick_solver": ("SGD", 0.001, 4000, 0.004, "BINARYPROTO"),
    "cifar10/cifar10_quick_solver_lr1": ("SGD", 0.0001, 5000, 0.004, "HDF5"),
    "cifar10/cifar10_full_solver": ("SGD", 0.001, 60000, 0.004, "BINARYPROTO"),
    "cifar10/cifar10_full_solver_lr1": ("SGD", 0.0001, 65000, 0.004, "BINARYPROTO"),
    "cifar10/cifar10_full_solver_lr2": ("SGD", 0.00001, 70000, 0.004, "HDF5"),
    "cifar10/cifar10_full_sigmoid_solver": ("SGD", 0.001, 60000, 0, "BINARYPROTO"),
    "cifar10/cifar10_full_sigmoid_solver_bn": ("SGD", 0.001, 60000, 0, "BINARYPROTO"),
    "mnist/lenet_solver": ("SGD", 0.01, 10000, 0.0005, "BINARYPROTO"),
    "mnist/lenet_multistep_solver": ("SGD", 0.01, 10000, 0.0005, "BINARYPROTO"),
    "mnist/lenet_solver_adam": ("Adam", 0.001, 10000, 0, "BINARYPROTO"),
    "mnist/lenet_solver_rmsprop": ("RMSProp", 0.01, 10000, 0.0005, "BINARYPROTO"),
    "mnist/lenet_adadelta_solver": ("AdaDelta", 1.0, 10000, 0.0005, "BINARYPROTO"),
    "mnist/mnist_autoencoder_solver": ("SGD", 0.01, 65000, 0.0005, "BINARYPROTO"),
    "mnist/mnist_autoencoder_solver_nesterov": ("Nesterov", 0.01, 65000, 0.0005, "BINARYPROTO"),
    "mnist/mnist_autoencoder_solver_adagrad": ("AdaGrad", 0.01, 65000, 0.0005, "BINARYPROTO"),
    "mnist/mnist_autoencoder_solver_adadelta": ("AdaDelta", 1.0, 65000, 0.0005, "BINARYPROTO"),
    "siamese/mnist_siamese_solver": ("SGD", 0.01, 50000, 0, "BINARYPROTO"),
    "imagenet/caffenet_solver": ("SGD", 0.01, 450000, 0.0005, "BINARYPROTO"),
}
NETS = {
    "cifar10/cifar10_quick_train_test": ("CIFAR10_quick", 15),
    "cifar10/cifar10_quick": ("CIFAR10_quick_test", 13),
    "cifar10/cifar10_full_train_test": ("CIFAR10_full", 16),
    "cifar10/cifar10_full": ("CIFAR10_full_deploy", 14),
    "cifar10/cifar10_full_sigmoid_train_test": ("CIFAR10_full", 14),
    "cifar10/cifar10_full_sigmoid_train_test_bn": ("CIFAR10_full", 17),
    "mnist/lenet_train_test": ("LeNet", 11),
    "mnist/lenet": ("LeNet", 9),
    "mnist/mnist_autoencoder": ("MNISTAutoencoder", 21),
    "siamese/mnist_siamese_train_test": ("mnist_siamese_train_test", 20),
    "siamese/mnist_siamese": ("mnist_siamese", 9),
    "imagenet/caffenet_train_val": ("CaffeNet", 26),
}
TWINS = {
    "cifar10/cifar10_full_train_test": "wild/prototxt/bvlc/cifar10_full_train_test.prototxt",
    "mnist/lenet_train_test": "wild/prototxt/bvlc/lenet_train_test.prototxt",
    "mnist/mnist_autoencoder": "wild/prototxt/v1/mnist_autoencoder_v1.prototxt",
}


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers(name: str, root: Path) -> None:
    from caffepy.proto import caffe_pb2
    from caffepy.proto.text import read_solver

    solver, _ = read_solver(root / f"examples/{name}.prototxt")
    kind, rate, iterations, decay, form = SOLVERS[name]
    assert (solver.type, solver.base_lr, solver.max_iter) == (kind, pytest.approx(rate), iterations)
    assert solver.weight_decay == pytest.approx(decay)
    assert solver.snapshot_format == caffe_pb2.SolverParameter.SnapshotFormat.Value(form)
    assert not solver.HasField("solver_mode")
    assert (root / solver.net).is_file()
    assert solver.snapshot_prefix.startswith(f"examples/{name.split('/')[0]}/")


@pytest.mark.parametrize("name", NETS)
def test_nets(name: str, root: Path) -> None:
    from caffepy.proto.text import read_net

    net, _ = read_net(root / f"examples/{name}.prototxt")
    assert (net.name, len(net.layer)) == NETS[name]


@pytest.mark.parametrize("name", TWINS)
def test_same_net_as_the_known_one(name: str, root: Path, shared: Path) -> None:
    from caffepy.proto.text import read_net

    ours, _ = read_net(root / f"examples/{name}.prototxt")
    theirs, _ = read_net(shared / TWINS[name])
    assert ours == theirs


def test_the_consolidated_solver_holds_the_net(root: Path) -> None:
    from caffepy.proto.text import read_net, read_solver

    solver, _ = read_solver(root / "examples/mnist/lenet_consolidated_solver.prototxt")
    net, _ = read_net(root / "examples/mnist/lenet_train_test.prototxt")
    assert list(solver.net_param.layer)[3:] == list(net.layer)[2:]
    assert list(solver.test_iter) == [100, 600]
    assert [list(state.stage) for state in solver.test_state] == [["test-on-test-set"], ["test-on-train-set"]]


@pytest.mark.parametrize("script", sorted((Path(__file__).parents[2] / "examples").glob("*/*.sh")), ids=lambda path: path.name)
def test_scripts_are_sound(script: Path) -> None:
    assert script.stat().st_mode & 0o111
    subprocess.run(["bash", "-n", str(script)], check=True, timeout=10)


def test_imagenet_of_own_pictures_and_lists(root: Path, tmp_path: Path) -> None:
    from caffepy.data.stores import open_read

    example = tmp_path / "repository/examples/imagenet"
    example.mkdir(parents=True)
    for name in ("create_imagenet.sh", "make_imagenet_mean.sh"):
        shutil.copy(root / "examples/imagenet" / name, example)
    for kind in ("a cat", "dög"):
        (tmp_path / "my pictures" / kind).mkdir(parents=True)
        for i in range(10):
            cv2.imwrite(str(tmp_path / "my pictures" / kind / f"p {i}.png"), np.full((5, 4, 3), i, np.uint8))
    environment = {**os.environ, "CAFFE_BIN": str(root / "tools"), "CAFFEPY_PYTHON": sys.executable, "SIZE": "8", "GLOG_minloglevel": "2"}

    def create(**lists: str) -> str:
        command = [str(example / "create_imagenet.sh"), "my pictures"]
        done = subprocess.run(command, env={**environment, **lists}, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        return done.stderr

    def sizes() -> list[int]:
        found = []
        for part in ("train", "val"):
            with open_read(str(example / f"ilsvrc12_{part}_lmdb"), "lmdb") as store:
                found.append(len(store))
        return found

    create()
    assert sizes() == [18, 2]
    assert (example / "val.txt").read_text() == "a cat/p 9.png 0\ndög/p 9.png 1\n"
    (tmp_path / "mine.txt").write_text("a cat/p 0.png 1\n")
    assert create(TRAIN_LIST="mine.txt", VAL_LIST="gone.txt") == "VAL_LIST: cannot read gone.txt\n"
    assert "VAL_LIST is not" in create(TRAIN_LIST="mine.txt")
    assert sizes() == [18, 2]  # as they were
    create(TRAIN_LIST="mine.txt", VAL_LIST="mine.txt")
    assert sizes() == [1, 1]


@pytest.fixture
def pycaffe(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Runs the ``main`` of a script of examples/pycaffe in a folder of its own; what it returns."""
    monkeypatch.syspath_prepend(str(root / "examples/pycaffe"))
    monkeypatch.chdir(tmp_path)
    return lambda name: runpy.run_path(str(root / f"examples/pycaffe/{name}.py"), run_name=name)["main"]()


def test_classify(pycaffe: Callable[[str], Any], capsys: pytest.CaptureFixture[str]) -> None:
    prob = pycaffe("classify")
    assert prob.argmax() == 7
    assert prob[7] > 0.8
    assert capsys.readouterr().out.splitlines()[0].endswith(" - 7")


def test_surgery(pycaffe: Callable[[str], Any]) -> None:
    before, after, tuned = pycaffe("surgery")
    assert before > 0.9
    assert 0.3 < after < 0.7  # of ten digits it knows five
    assert tuned > 0.9


def test_python_layer(pycaffe: Callable[[str], Any]) -> None:
    loss, accuracy = pycaffe("python_layer")
    assert loss < 0.1
    assert accuracy > 0.9


def test_the_gradient_of_the_python_layer(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside differences of its loss."""
    from types import SimpleNamespace

    monkeypatch.syspath_prepend(str(root / "examples/pycaffe"))
    cls = runpy.run_path(str(root / "examples/pycaffe/python_layer.py"), run_name="python_layer")["FocalLossLayer"]
    layer = cls.__new__(cls)
    layer.gamma = 2.0
    scores, labels = np.random.RandomState(3).randn(4, 5), np.array([0.0, 3.0, 4.0, 1.0])
    bottom = [SimpleNamespace(data=scores, diff=np.zeros_like(scores)), SimpleNamespace(data=labels)]
    top = [SimpleNamespace(data=np.zeros(1), diff=np.ones(1))]

    def loss() -> float:
        layer.forward(bottom, top)
        return float(top[0].data[0])

    loss()
    layer.backward(top, [True, False], bottom)
    for place in np.ndindex(scores.shape):
        kept = scores[place]
        around = []
        for step in (1e-5, -1e-5):
            scores[place] = kept + step
            around.append(loss())
        scores[place] = kept
        assert bottom[0].diff[place] == pytest.approx((around[0] - around[1]) / 2e-5, abs=1e-8)
