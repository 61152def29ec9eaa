"""What holds for the whole process: mode, device, seed, layer types, ranks, log and timer."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import caffe
import numpy as np
import pytest
import torch

from caffepy import log
from caffepy.errors import CaffeError
from tests.pycaffe.nets import DEPLOY, ToFile


def test_layer_type_list() -> None:
    types = caffe.layer_type_list()
    assert types == sorted(types)
    assert {"AbsVal", "Convolution", "Python", "WindowData"} <= set(types)


def test_a_seed_makes_nets_alike(to_file: ToFile) -> None:
    weights = []
    for seed in (3, 3, 4):
        caffe.set_random_seed(seed)
        weights.append(caffe.Net(to_file(DEPLOY), caffe.TEST).params["conv"][0].data.copy())
    np.testing.assert_array_equal(weights[0], weights[1])
    assert not np.array_equal(weights[0], weights[2])


def test_solvers_with_a_seed_in_several_threads_are_alike(to_file: ToFile) -> None:
    path = to_file(
        """base_lr: 0.1 lr_policy: "fixed" random_seed: 5 snapshot_prefix: "s" net_param {
        layer { name: "in" type: "DummyData" top: "x" dummy_data_param { shape { dim: 3 dim: 9 } data_filler { type: "msra" } } }
        layer { name: "ip" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 4 weight_filler { type: "msra" } } }
        layer { name: "sum" type: "Reduction" bottom: "y" top: "sum" loss_weight: 1 reduction_param { operation: SUMSQ } } }"""
    )

    def train(_: int) -> list[float]:
        solver = caffe.SGDSolver(path)
        together.wait()
        solver.step(20)
        return list(solver.net.params["ip"][0].data.flatten())

    together = threading.Barrier(2)
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(train, range(2))
    assert first == second


def test_a_seed_counts_for_the_nets_that_there_are(to_file: ToFile) -> None:
    dropping = """layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 40 } } }
    layer { name: "drop" type: "Dropout" bottom: "data" top: "drop" }"""
    net = caffe.Net(to_file(dropping), caffe.TRAIN)
    kept = []
    for seed in (3, 3, 4):
        caffe.set_random_seed(seed)
        kept.append(net.forward(data=np.ones(40))["drop"].tolist())
    assert kept[0] == kept[1] != kept[2]


@pytest.mark.parametrize(
    "misuse",
    [
        lambda: caffe.set_random_seed(1.5),
        lambda: caffe.set_random_seed(None),
        lambda: caffe.set_device("first"),
        lambda: caffe.set_solver_count("all"),
        lambda: caffe.set_solver_rank("x"),
        lambda: caffe.init_log("loud"),
    ],
)
def test_what_is_no_number(misuse) -> None:
    with pytest.raises(CaffeError, match="needed: a whole number") as raised:
        misuse()
    assert isinstance(raised.value, TypeError)


def test_mode() -> None:
    caffe.set_mode_cpu()
    caffe.set_device(0)
    if not torch.cuda.is_available():
        with pytest.raises(CaffeError, match="torch sees no GPU"):
            caffe.set_mode_gpu()


def test_a_gpu_computes_in_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    try:
        caffe.set_mode_gpu()
        assert not torch.backends.cudnn.allow_tf32
    finally:
        caffe.set_mode_cpu()


def test_ranks() -> None:
    assert (caffe.solver_count(), caffe.solver_rank()) == (1, 0)
    caffe.set_solver_count(4)
    caffe.set_solver_rank(2)
    caffe.set_multiprocess(True)
    assert (caffe.solver_count(), caffe.solver_rank()) == (4, 2)
    for wrong in (lambda: caffe.set_solver_count(0), lambda: caffe.set_solver_rank(-1)):
        with pytest.raises(ValueError, match="needed"):
            wrong()


FORKING = """
import multiprocessing, sys, caffe, torch
torch.set_num_threads(2)
net = caffe.Net(sys.argv[1], caffe.TEST)
net.forward()
def child():
    for each in (net, caffe.Net(sys.argv[1], caffe.TEST)):
        each.forward()
        each.backward()
    print(torch.get_num_threads(), flush=True)
process = multiprocessing.get_context("fork").Process(target=child)
process.start()
process.join(60)
print(process.exitcode, torch.get_num_threads())
process.kill()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked on this system")
def test_a_process_that_is_forked_off_does_not_wait_for_threads(to_file: ToFile) -> None:
    path = to_file(DEPLOY.replace("dim: 2 dim: 3 dim: 6 dim: 6", "dim: 8 dim: 3 dim: 96 dim: 96"))
    environment = dict(os.environ, GLOG_minloglevel="2", PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run([sys.executable, "-c", FORKING, path], env=environment, capture_output=True, text=True, timeout=150)
    assert done.stdout.split() == ["1", "0", "2"], done.stderr


FORKING_LAYER = """
import multiprocessing, caffe
def work(path):
    caffe.Net(path, caffe.TEST).forward()
class L(caffe.Layer):
    def reshape(self, bottom, top):
        top[0].reshape(1)
    def forward(self, bottom, top):
        process = multiprocessing.get_context("fork").Process(target=work, args=(self.param_str,))
        process.start()
        process.join(60)
        top[0].data[...] = process.exitcode
        process.kill()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked on this system")
def test_nor_does_one_that_a_layer_of_the_program_forks_off(to_file: ToFile, tmp_path: Path, root: Path) -> None:
    conv = DEPLOY.replace("dim: 2 dim: 3 dim: 6 dim: 6", "dim: 8 dim: 3 dim: 96 dim: 96")
    to_file(FORKING_LAYER, "forking.py")
    layer = f'layer {{ name: "p" type: "Python" top: "p" python_param {{ module: "forking" layer: "L" param_str: "{to_file(conv)}" }} }}'
    net, weights = to_file(conv + layer, "both.prototxt"), str(tmp_path / "w.caffemodel")
    caffe.Net(to_file(conv), caffe.TEST).save(weights)
    environment = dict(os.environ, OMP_NUM_THREADS="2", PYTHONPATH=os.pathsep.join((str(root), *sys.path)))
    command = [sys.executable, "-m", "caffepy", "test", "-model", net, "-weights", weights, "-iterations", "1"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=150)
    assert "Batch 0, p = 0\n" in done.stderr


def test_log(capsys: pytest.CaptureFixture[str]) -> None:
    caffe.init_log(1)
    caffe.log("not shown")
    caffe.init_log(0, False)
    caffe.log("not on standard error")
    caffe.init_log()
    caffe.log("shown")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("I")
    assert lines[0].endswith("_caffe.cpp:52] shown")


LEVELS = """
import os, sys, torch
for level in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        os.environ["GLOG_minloglevel"] = level
        import caffe
        from caffepy import log
        print(log.sink.min_level, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""
"""Forks of a process that has torch and nothing of caffepy import it with one level after the other."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked on this system")
def test_the_log_level_of_a_script() -> None:
    """As glog's: from INFO on unless the environment says otherwise."""
    command = [sys.executable, "-c", LEVELS, "", "2", "no number"]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert ([int(word) for word in done.stdout.split()], done.stderr) == ([log.INFO, log.ERROR, log.INFO], "")


def test_timer() -> None:
    timer = caffe.Timer()
    timer.stop()
    assert timer.ms == 0
    timer.start()
    time.sleep(0.02)
    timer.stop()
    once = timer.ms
    assert 15 < once < 5000
    time.sleep(0.01)
    assert timer.ms == once


def test_a_timer_that_runs_is_not_started_again() -> None:
    timer = caffe.Timer()
    timer.start()
    time.sleep(0.02)
    timer.start()
    timer.stop()
    timer.stop()
    assert timer.ms >= 20


def test_a_timer_that_never_ran(capsys: pytest.CaptureFixture[str]) -> None:
    assert caffe.Timer().ms == 0
    assert "Timer has never been run before reading time." in capsys.readouterr().err
