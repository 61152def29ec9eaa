"""Several processes of a script train one net."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import caffe
import h5py
import numpy as np
import pytest

from caffepy.errors import CaffeError
from tests.pycaffe.nets import SOLVER, TRAINED, ToFile
from tests.warm.start import python

NET = """
layer {{ name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param {{ source: "{list}" batch_size: {batch} }} }}
layer {{ name: "ip" type: "InnerProduct" bottom: "data" top: "ip"
  inner_product_param {{ num_output: 3 weight_filler {{ type: "xavier" }} }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }}
"""

SCRIPT = """
import multiprocessing
import sys

import caffe


def solve(proto, count, uid, rank):
    caffe.set_mode_cpu()
    caffe.set_solver_count(count)
    caffe.set_solver_rank(rank)
    caffe.set_multiprocess(True)
    solver = caffe.SGDSolver(proto)
    nccl = caffe.NCCL(solver, uid)
    nccl.bcast()
    solver.add_callback(nccl)
    if solver.param.layer_wise_reduce:
        solver.net.after_backward(nccl)
    solver.step(solver.param.max_iter)
    solver.net.save(f"{proto}.{rank}.caffemodel")


if __name__ == "__main__":
    uid = caffe.NCCL.new_uid()
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=solve, args=(sys.argv[1], 2, uid, rank)) for rank in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    sys.exit(any(process.exitcode for process in processes))
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """24 records in an HDF5 file, and the list that names it."""
    rng = np.random.default_rng(3)
    with h5py.File(tmp_path / "data.h5", "w") as file:
        file["data"], file["label"] = rng.normal(size=(24, 5)).astype(np.float32), rng.integers(0, 3, 24).astype(np.float32)
    (tmp_path / "list.txt").write_text(str(tmp_path / "data.h5"))
    return tmp_path / "list.txt"


def solver_for(data: Path, to_file: ToFile, batch: int, name: str) -> str:
    net = to_file(NET.format(list=data, batch=batch), f"{name}.net.prototxt")
    return to_file(f'net: "{net}" base_lr: 0.1 lr_policy: "fixed" momentum: 0.9 max_iter: 7 random_seed: 2', f"{name}.prototxt")


def weights(solver: str, model: str) -> list[np.ndarray]:
    net = caffe.get_solver(solver).net
    net.copy_from(model)
    return [blob.data.copy() for blob in net.params["ip"]]


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p), OMP_NUM_THREADS="1", GLOG_minloglevel="0")
    return subprocess.run([*python(), *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=110)


def test_a_uid_is_bytes() -> None:
    assert caffe.has_nccl()
    assert isinstance(caffe.NCCL.new_uid(), bytes)
    assert caffe.NCCL.new_uid() != caffe.NCCL.new_uid()


def test_a_uid_leaves_nothing_behind(tmp_path: Path) -> None:
    done = run(["-c", "import caffe; print(caffe.NCCL.new_uid().decode())"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert not Path(done.stdout.strip()).parent.exists()


def test_two_processes_are_one_with_twice_the_batch(data: Path, to_file: ToFile, tmp_path: Path) -> None:
    double, single = solver_for(data, to_file, 4, "double"), solver_for(data, to_file, 8, "single")
    script = to_file(SCRIPT, "script.py")
    done = run([script, double], tmp_path)
    assert done.returncode == 0, done.stderr
    alone = caffe.get_solver(single)
    alone.step(7)
    first, second = (weights(single, f"{double}.{rank}.caffemodel") for rank in (0, 1))
    for mine, other, expected in zip(first, second, alone.net.params["ip"]):
        np.testing.assert_array_equal(mine, other)
        np.testing.assert_allclose(mine, expected.data, rtol=1e-4, atol=1e-6)


def test_the_script_train(data: Path, to_file: ToFile, tmp_path: Path, root: Path) -> None:
    solver = solver_for(data, to_file, 4, "double")
    done = run([str(root / "tools/train.py"), "--solver", solver, "--cpus", "2"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Using 2 processes on the CPU" in done.stderr
    assert done.stderr.count("Snapshotting to binary proto file") == 1
    alone = caffe.get_solver(solver_for(data, to_file, 8, "single"))
    alone.step(7)
    np.testing.assert_allclose(weights(solver, f"{tmp_path}/double_iter_7.caffemodel")[0], alone.net.params["ip"][0].data, rtol=1e-4)


def test_a_process_that_fails_ends_the_others(to_file: ToFile, tmp_path: Path, root: Path) -> None:
    done = run([str(root / "tools/train.py"), "--solver", "none.prototxt", "--cpus", "2"], tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "File not found: none.prototxt" in done.stderr
    assert "of 2 ended with exit code 1" in done.stderr.splitlines()[-1]


def test_a_process_alone(to_file: ToFile, tmp_path: Path) -> None:
    solver = caffe.get_solver(to_file(SOLVER.format(net=to_file(TRAINED), folder=tmp_path), "solver.prototxt"))
    nccl = caffe.NCCL(solver, caffe.NCCL.new_uid())
    nccl.bcast()
    solver.add_callback(nccl)
    solver.step(2)
    assert solver.iter == 2
    with pytest.raises(CaffeError, match="takes a solver"):
        caffe.NCCL(solver, "text")
