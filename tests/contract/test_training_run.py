"""A whole small training by the program, read by what Caffe's users read logs with."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from caffepy.report.training_log import parse
from tests.warm.start import python

NET = """
name: "tiny"
layer { name: "d" type: "Data" top: "data" top: "label" data_param { source: "db" backend: LMDB batch_size: 4 }
  transform_param { scale: 0.01 } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "accuracy" type: "Accuracy" bottom: "ip" bottom: "label" top: "accuracy" include { phase: TEST } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
"""
SOLVER = """
net: "net.prototxt" test_iter: 2 test_interval: 4 base_lr: 0.1 lr_policy: "step" gamma: 0.1 stepsize: 4
momentum: 0.9 display: 2 max_iter: 6 snapshot: 4 snapshot_prefix: "tiny" random_seed: 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a net, a solver and a database of two kinds of pictures: dark and bright."""
    lmdb = pytest.importorskip("lmdb")
    from caffepy.proto import caffe_pb2

    (tmp_path / "net.prototxt").write_text(NET)
    (tmp_path / "solver.prototxt").write_text(SOLVER)
    with lmdb.open(str(tmp_path / "db"), map_size=1 << 20) as env, env.begin(write=True) as txn:
        for i in range(8):
            datum = caffe_pb2.Datum(channels=1, height=3, width=3, data=bytes([200 * (i % 2) + i] * 9), label=i % 2)
            txn.put(b"%08d" % i, datum.SerializeToString())
    return tmp_path


def caffe(root: Path, folder: Path, *words: str, warm: bool = True) -> subprocess.CompletedProcess[str]:
    """The program; by its launcher, or in a fork of a process that has torch."""
    command = [*python(), "-m", "caffepy.cli.main", "caffe"] if warm else [str(root / "tools/caffe")]
    env = dict(os.environ, CAFFEPY_PYTHON=sys.executable, PYTHONPATH=str(root), OMP_NUM_THREADS="1")
    return subprocess.run([*command, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=100)


def test_train_test_and_resume(root: Path, folder: Path) -> None:
    done = caffe(root, folder, "train", "-solver", "solver.prototxt", warm=False)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    log = parse(lines)
    assert sorted(log.loss) == [0, 2, 4, 6]
    assert log.rate == pytest.approx({0: 0.1, 2: 0.1, 4: 0.01})
    assert sorted(log.test["accuracy"]) == [0, 4]
    assert {"tiny_iter_4.caffemodel", "tiny_iter_4.solverstate", "tiny_iter_6.caffemodel"} <= {path.name for path in folder.iterdir()}
    assert not list(folder.glob("*tmp*"))
    # parse_log.sh cuts from these words on, and takes columns
    assert sum("] Solving " in line for line in lines) == 1
    assert sum("Optimization Done." in line for line in lines) == 2
    assert [line.split()[8] for line in lines if ", lr = " in line] == ["0.1", "0.1", "0.01"]
    assert all(re.match(r"^\d*\.?\d+$", line.split()[10]) for line in lines if "accuracy = " in line)
    assert any("Snapshotting to binary proto file tiny_iter_4.caffemodel" in line for line in lines)

    again = caffe(root, folder, "train", "--solver=solver.prototxt", "--snapshot=tiny_iter_4.solverstate")
    assert again.returncode == 0, again.stderr
    assert sorted(parse(again.stderr.splitlines()).loss) == [4, 6]

    tested = caffe(root, folder, "test", "-model=net.prototxt", "-weights=tiny_iter_6.caffemodel", "-iterations=2")
    assert tested.returncode == 0, tested.stderr
    assert re.search(r"\] accuracy = [\d.]+$", tested.stderr, re.MULTILINE)
    assert re.search(r"\] loss = [\d.e-]+ \(\* 1 = [\d.e-]+ loss\)$", tested.stderr, re.MULTILINE)


def test_a_missing_solver_is_one_line(root: Path, folder: Path) -> None:
    done = caffe(root, folder, "train", "-solver", "none.prototxt")
    assert done.returncode == 1
    fatal = [line for line in done.stderr.splitlines() if line.startswith("F")]
    assert len(fatal) == 1
    assert "none.prototxt" in fatal[0]
    assert "Traceback" not in done.stderr
