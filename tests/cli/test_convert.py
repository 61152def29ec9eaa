"""The converting programs: their arguments and flags, how they end, and the scripts that feed them."""

from __future__ import annotations

import functools
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from caffepy import log
from caffepy.cli.main import run
from caffepy.data.datum import decode
from caffepy.data.stores import open_read
from tests.data.build import write_images

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def quiet_after(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands set up the log of the whole process; leave it as it was."""
    for name in ("min_level", "verbosity", "prefix", "streams", "stderr_level", "color", "utc"):
        monkeypatch.setattr(log.sink, name, getattr(log.sink, name))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_images(tmp_path / "in", 3)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fatal(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line of severity F."""
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("F")]
    return line


@pytest.mark.parametrize(
    "flags", [["-gray", "-resize_height=2", "--resize_width", "3"], ["--gray=true", "-resize_height", "2", "-resize_width=3", "-noshuffle"]]
)
def test_flags_reach_the_converter(folder: Path, flags: list[str]) -> None:
    assert run("convert_imageset", [*flags, "in/", "in/list.txt", "db"]) == 0
    with open_read("db", "lmdb") as store:
        assert decode(store.first()).image().shape == (1, 2, 3)
        assert len(store) == 3


def test_the_log_is_in_the_order_of_caffe(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("convert_imageset", ["-encode_type=png", "in/", "in/list.txt", "db"]) == 0
    assert [line.partition("] ")[2] for line in capsys.readouterr().err.splitlines()][:-1] == [
        "A total of 3 images.",
        "encode_type specified, assuming encoded=true.",
        "Opened lmdb db",
        "Processed 3 files.",
    ]


def test_an_empty_root_folder(folder: Path) -> None:
    lines = (folder / "in/list.txt").read_text().splitlines()
    (folder / "list.txt").write_text("".join(f"in/{line}\n" for line in lines))
    assert run("convert_imageset", ["", "list.txt", "db"]) == 0
    with open_read("db", "lmdb") as store:
        assert len(store) == 3


def test_the_same_under_caffepy(folder: Path) -> None:
    assert run("caffepy", ["convert_imageset", "in/", "in/list.txt", "db", "-backend", "leveldb", "-encoded"]) == 0
    with open_read("db", "leveldb") as store:
        assert decode(store.first()).encoded
    assert run("caffepy", ["compute_image_mean", "db", "mean.binaryproto", "-backend=leveldb"]) == 0
    assert Path("mean.binaryproto").stat().st_size > 3 * 6 * 8 * 4


@pytest.mark.parametrize("ignored", [False, True])
def test_signals_leave_no_half_database(folder: Path, ignored: bool) -> None:
    line = (folder / "in/list.txt").read_text().splitlines()[0]
    (folder / "list.txt").write_text(f"{line}\n" * 300_000)
    command = "" if not ignored else "trap '' HUP; "
    command += f"exec {sys.executable} -m caffepy.cli.main convert_imageset in/ list.txt db"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    heeded = functools.partial(signal.signal, signal.SIGHUP, signal.SIG_DFL)  # the tests themselves may run under nohup
    with subprocess.Popen(
        ["sh", "-c", command], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True, preexec_fn=heeded
    ) as process:
        assert process.stderr is not None
        while "Opened lmdb" not in process.stderr.readline():
            assert process.poll() is None
        time.sleep(0.2)
        process.send_signal(signal.SIGHUP)
        if ignored:
            time.sleep(0.2)
            assert process.poll() is None
            process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + (signal.SIGTERM if ignored else signal.SIGHUP)
    assert [path.name for path in folder.iterdir() if path.name.startswith("db")] == []


def test_help_tells_that_bad_images_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    run("convert_imageset", ["--help"])
    words = " ".join(capsys.readouterr().out.split())  # lines break where the terminal does
    assert "-skip_bad Leave out images that cannot be read; if not, they are fatal. (default: true)" in words


@pytest.mark.parametrize("flag", ["-skip_bad=false", "-noskip_bad", "--skip_bad=0"])
def test_bad_images_are_fatal_on_request(folder: Path, capsys: pytest.CaptureFixture[str], flag: str) -> None:
    Path("in/1.png").write_bytes(b"bad")
    assert run("convert_imageset", [flag, "in/", "in/list.txt", "db"]) == 1
    assert "Could not open or find file in/1.png: it is no image that OpenCV knows" in fatal(capsys)
    assert os.listdir(folder) == ["in"]
    assert run("convert_imageset", ["in/", "in/list.txt", "db"]) == 0


@pytest.mark.parametrize(
    ("program", "arguments", "code"),
    [
        ("convert_imageset", ["in/", "in/list.txt"], 1),
        ("compute_image_mean", [], 1),
        ("convert_cifar_data", ["in", "out"], 0),
        ("convert_mnist_data", [], 0),
        ("convert_mnist_siamese_data", ["a", "b"], 0),
    ],
)
def test_usage_where_arguments_are_missing(capsys: pytest.CaptureFixture[str], program: str, arguments: list[str], code: int) -> None:
    assert run(program, arguments) == code
    assert capsys.readouterr().out.startswith(f"usage: {program} [FLAGS] ")


@pytest.mark.parametrize(
    ("program", "arguments", "says"),
    [
        ("convert_imageset", ["in/", "in/list.txt", "in"], "mkdir in failed: it exists already"),
        ("convert_imageset", ["-backend=lmbd", "in/", "in/list.txt", "db"], "Unknown database backend 'lmbd'; nearest: 'lmdb'"),
        ("compute_image_mean", ["nowhere"], "LMDB 'nowhere' does not exist"),
        ("convert_cifar_data", ["nowhere", ".", "lmdb"], "Unable to open train file #1: nowhere/data_batch_1.bin"),
        ("convert_mnist_data", ["nowhere", "nowhere", "db"], "Unable to open file nowhere"),
    ],
)
def test_failures_are_one_line(folder: Path, capsys: pytest.CaptureFixture[str], program: str, arguments: list[str], says: str) -> None:
    assert run(program, arguments) == 1
    assert says in fatal(capsys)


def script(folder: Path, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a copy of one of the repository's scripts under ``folder``."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / name, folder / name)
    return subprocess.run([str(folder / name), *arguments], cwd=folder, capture_output=True, text=True, timeout=60)


def test_cifar10_from_a_folder_replaces_the_stand_in(tmp_path: Path) -> None:
    given, placed = tmp_path / "given", tmp_path / "data/cifar10"
    given.mkdir()
    files = [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]
    for i, name in enumerate(files):
        (given / name).write_bytes(bytes([i]) * 3073 * 2)
    placed.mkdir(parents=True)
    (placed / "STAND_IN").write_text("generated")
    (placed / files[0]).write_bytes(b"x" * 3073)
    assert script(tmp_path, "data/cifar10/get_cifar10.sh", "given").returncode == 0
    assert sorted(os.listdir(placed)) == sorted([*files, "get_cifar10.sh"])
    assert (placed / files[0]).read_bytes() == (given / files[0]).read_bytes()
    again = script(tmp_path, "data/cifar10/get_cifar10.sh")
    assert (again.returncode, again.stdout) == (0, "CIFAR-10's files are already here.\n")
    (given / files[3]).write_bytes(b"cut off")
    refused = script(tmp_path, "data/cifar10/get_cifar10.sh", "given")
    assert refused.returncode == 1
    assert "lacks CIFAR-10's binary files" in refused.stderr
    assert (placed / files[3]).stat().st_size == 3073 * 2


def test_mnist_from_a_folder(tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.mkdir()
    for name in ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte"):
        (given / name).write_bytes(struct.pack(">I", 2051))
    missing = script(tmp_path, "data/mnist/get_mnist.sh", "given")
    assert (missing.returncode, "has no t10k-labels-idx1-ubyte" in missing.stderr) == (1, True)
    (given / "t10k-labels-idx1-ubyte").write_bytes(b"labels")
    subprocess.run(["gzip", str(given / "t10k-labels-idx1-ubyte")], check=True, timeout=10)
    assert script(tmp_path, "data/mnist/get_mnist.sh", "given").returncode == 0
    assert (tmp_path / "data/mnist/t10k-labels-idx1-ubyte").read_bytes() == b"labels"
