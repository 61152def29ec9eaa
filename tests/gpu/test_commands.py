"""The commands and `import caffe` on a GPU: the numbers of the CPU, alone and on several ranks."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import caffe
import numpy as np
import pytest
import torch

from caffepy.cli.main import run
from caffepy.proto.weights import read_net_weights
from tests.mpi.launch import ROOT, under_mpirun
from tests.solver.job import FIELDS, NET, write_database
from tests.warm.start import python

STAND_IN = hasattr(torch.cuda, "counts")
"""A real GPU is not for forks."""
PLAIN = (
    re.sub(r"\nlayer { name: \"drop\".*", "", NET)
    .replace("mirror: true crop_size: 4", "crop_size: 6")
    .replace("crop_size: 4", "crop_size: 6")
)
RANKS = {
    "-gpu 0,1": ([], ["-gpu", "0,1"]),
    "mpirun": (under_mpirun, ["-gpu", "0,1"]),
    "mpirun, one GPU": (under_mpirun, ["-gpu", "0"]),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a database, a net without draws and a solver."""
    pytest.importorskip("lmdb")
    write_database(tmp_path / "db")
    (tmp_path / "net.prototxt").write_text(PLAIN)
    write_solver(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_solver(folder: Path, more: str = "") -> None:
    fields = "\n".join(f"{name}: {value}" for name, value in FIELDS.items())
    (folder / "solver.prototxt").write_text(f"{fields} display: 2 test_iter: 3 test_interval: 4 {more}")


def caffe_command(*words: str) -> None:
    assert run("caffe", list(words)) == 0


def weights(path: str) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    """All of a caffemodel."""
    return [blob for layer in read_net_weights(path) for blob in layer.blobs if blob is not None]


def losses(log: str) -> list[float]:
    return [float(found) for found in re.findall(r"(?:loss = |accuracy = |Loss: )([-\d.e]+)", log)]


def test_train_and_test(capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for words in ([], ["-gpu", "0"]):
        caffe_command("train", "-solver", "solver.prototxt", *words)
        caffe_command("test", "-model", "net.prototxt", "-weights", "s_iter_8.caffemodel", "-iterations", "3", *words)
        log = capsys.readouterr().err
        assert ("GPU" in log) == bool(words)
        assert "is not recorded" not in log
        assert "are not recorded" not in log
        found.append((losses(log), weights("s_iter_8.caffemodel")))
    (on_cpu, plain), (on_gpu, recorded) = found
    assert on_gpu == pytest.approx(on_cpu, rel=1e-3, abs=1e-4)
    for ours, theirs in zip(recorded, plain, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("precision", ["tf32", "bf16"])
def test_train_in_other_precisions(precision: str, capsys: pytest.CaptureFixture[str]) -> None:
    caffe_command("train", "-solver", "solver.prototxt")
    exact = losses(capsys.readouterr().err)
    caffe_command("train", "-solver", "solver.prototxt", "-gpu", "0", "-precision", precision)
    assert losses(capsys.readouterr().err) == pytest.approx(exact, rel=0.1, abs=0.05)


def test_train_with_a_scaled_loss(capsys: pytest.CaptureFixture[str]) -> None:
    caffe_command("train", "-solver", "solver.prototxt", "-gpu", "0", "-precision", "fp16")
    found = losses(capsys.readouterr().err)
    assert found[-1] < 0.8 * found[1]  # iterations whose gradients overflow are left out


def test_time_tells_what_is_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    caffe_command("time", "-model", "net.prototxt", "-iterations", "1", "-gpu", "0")
    assert "a GPU replays one recording." in capsys.readouterr().err
    silent = 'layer { name: "s" type: "Filter" bottom: "data" bottom: "label" top: "f" }'
    Path("host.prototxt").write_text(PLAIN + silent)
    caffe_command("time", "-model", "host.prototxt", "-iterations", "1", "-gpu", "0")
    assert "a GPU replays one piece of it, as layer 's' (Filter) needs the host in every pass." in capsys.readouterr().err


def test_extract_features(capsys: pytest.CaptureFixture[str]) -> None:
    import lmdb

    caffe_command("train", "-solver", "solver.prototxt")
    found = []
    for name, words in (("cpu", []), ("gpu", ["GPU", "0"])):
        assert run("extract_features", ["s_iter_8.caffemodel", "net.prototxt", "ip2", name, "2", "lmdb", *words]) == 0
        with lmdb.open(name, readonly=True) as env, env.begin() as txn:
            found.append([value for _, value in txn.cursor()])
    assert len(found[0]) == len(found[1]) == 8
    from caffepy.proto import caffe_pb2

    for ours, theirs in zip(*found, strict=True):
        values = [list(caffe_pb2.Datum.FromString(record).float_data) for record in (ours, theirs)]
        np.testing.assert_allclose(*values, rtol=1e-4, atol=1e-5)


def test_import_caffe() -> None:
    outputs = []
    for use in (caffe.set_mode_cpu, caffe.set_mode_gpu):
        use()
        caffe.set_random_seed(1)
        solver = caffe.SGDSolver("solver.prototxt")
        solver.step(3)
        assert solver.net.blobs["ip2"].data.shape == (5, 2)
        outputs.append((solver.net.params["ip1"][0].data.copy(), float(solver.net.blobs["loss"].data)))
    caffe.set_mode_cpu()
    np.testing.assert_allclose(outputs[1][0], outputs[0][0], rtol=1e-4, atol=1e-6)
    assert outputs[1][1] == pytest.approx(outputs[0][1], rel=1e-4)


@pytest.mark.timeout(600)  # on a machine that may be busy
@pytest.mark.parametrize("way", RANKS)
def test_two_ranks(way: str, folder: Path) -> None:
    if way != "mpirun, one GPU" and torch.cuda.device_count() < 2:
        pytest.skip("there is one GPU")
    caffe_command("train", "-solver", "solver.prototxt")
    alone = weights("s_iter_8.caffemodel")
    (folder / "half.prototxt").write_text(PLAIN)
    launcher, words = RANKS[way]
    command = [*python(warm=STAND_IN), "-m", "caffepy", "train", "-solver", "solver.prototxt", "-batch_mode", "per_rank", *words]
    environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONPATH=os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    job = [*(launcher(2) if callable(launcher) else launcher), *command, "-compress", "fp16", "-lazy_update"]
    done = subprocess.run(job, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert ("by NCCL" in done.stderr) == (way != "mpirun, one GPU")
    for flag in ("-compress", "-lazy_update"):
        assert len(re.findall(rf"{flag} changes nothing between GPUs", done.stderr)) == 1
    assert "destroy_process_group" not in done.stderr
    assert "not recorded" not in done.stderr
    assert [blob.shape for blob in weights("s_iter_8.caffemodel")] == [blob.shape for blob in alone]
