"""What befalls a running training: its terminal closes, its reader goes, somebody is impatient."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

from caffepy.proto import caffe_pb2
from tests.warm.start import python

LAYER = """
import atexit, os, signal, time, caffe
class L(caffe.Layer):
    def setup(self, bottom, top):
        self.passes = 0
        exec(self.param_str)
    def reshape(self, bottom, top):
        top[0].reshape(4, 3)
    def forward(self, bottom, top):
        self.passes += 1
        if self.passes == 4 and os.path.exists("interrupts"):
            for _ in open("interrupts").read():
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.01)
        time.sleep(0.01)
        top[0].data[...] = 1
    def backward(self, top, propagate_down, bottom):
        pass
"""
NET = """
layer {{ name: "p" type: "Python" top: "x" python_param {{ module: "own" layer: "L" param_str: "{setup}" }} }}
layer {{ name: "ip" type: "InnerProduct" bottom: "x" top: "y" inner_product_param {{ num_output: 2 }} }}
layer {{ name: "z" type: "DummyData" top: "z" dummy_data_param {{ shape {{ dim: 4 dim: 2 }} }} }}
layer {{ name: "loss" type: "EuclideanLoss" bottom: "y" bottom: "z" top: "loss" }}
"""
SLOW_SNAPSHOT = """
import os, signal, sys, time
from caffepy.cli.main import caffe
from caffepy.solver.snapshots import snapshot
write, interrupts = snapshot.save, int(sys.argv[1])
def save(*words, **named):
    for _ in range(interrupts):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.3)
    write(*words, **named)
snapshot.save = save
sys.argv[:2] = ["caffe"]
caffe()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own.py").write_text(LAYER)
    return _job(tmp_path)


def _job(folder: Path, *, setup: str = "", iterations: int = 6) -> Path:
    (folder / "net.prototxt").write_text(NET.format(setup=setup))
    lines = ['net: "net.prototxt"', "base_lr: 0.01", 'lr_policy: "fixed"', 'snapshot_prefix: "s"', "display: 1", f"max_iter: {iterations}"]
    (folder / "solver.prototxt").write_text("\n".join(lines))
    return folder


def _environ(root: Path) -> dict[str, str]:
    path = os.pathsep.join((str(root), str(root / "caffepy/pycaffe/shim")))
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "TERM": "xterm"}


def _run(folder: Path, root: Path, *words: str, warm: bool = True) -> subprocess.CompletedProcess[str]:
    """A Python program; ``warm``: in a fork of a process that has torch, see `tests.warm`."""
    command = [*python(warm=warm), *words]
    return subprocess.run(command, cwd=folder, env=_environ(root), capture_output=True, text=True, timeout=100)


TRAIN = ("train", "-solver", "solver.prototxt")


def test_an_interrupt_within_a_snapshot_lets_it_be_finished(folder: Path, root: Path) -> None:
    (folder / "interrupts").write_text("1")
    _stops_with_snapshot(folder, _run(folder, root, "-c", SLOW_SNAPSHOT, "1", *TRAIN))


def test_a_second_interrupt_before_the_snapshot_loses_it_not(folder: Path, root: Path) -> None:
    (folder / "interrupts").write_text("12")
    _stops_with_snapshot(folder, _run(folder, root, "-m", "caffepy", *TRAIN))


def _stops_with_snapshot(folder: Path, done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stderr
    assert "Optimization stopped early." in done.stderr
    assert sorted(path.name for path in folder.glob("s_iter*")) == ["s_iter_4.caffemodel", "s_iter_4.solverstate"]


def test_a_third_interrupt_ends_the_program_and_says_so(folder: Path, root: Path) -> None:
    (folder / "interrupts").write_text("1")
    done = _run(folder, root, "-c", SLOW_SNAPSHOT, "2", *TRAIN)
    assert done.returncode == -signal.SIGINT
    assert "interrupted for the third time: the program ends at once, with the snapshots that are there" in done.stderr
    assert "Traceback" not in done.stderr


def test_interrupts_while_a_training_that_is_done_ends(folder: Path, root: Path) -> None:
    _job(folder, setup="atexit.register(os.kill, os.getpid(), signal.SIGINT)")
    done = _run(folder, root, "-c", SLOW_SNAPSHOT, "2", *TRAIN)
    assert done.returncode == 0, done.stderr
    assert "Optimization Done." in done.stderr
    assert "Traceback" not in done.stderr
    assert "KeyboardInterrupt" not in done.stderr


@pytest.mark.parametrize("ranks", [(), ("-ranks=2",)], ids=["alone", "two ranks"])
def test_a_terminal_that_closes(ranks: tuple[str, ...], folder: Path, root: Path) -> None:
    """The training snapshots, as -sighup_effect says, and goes on."""
    _job(folder, iterations=200)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(sys.executable, [sys.executable, "-m", "caffepy", *TRAIN, "-log_dir=.", *ranks], _environ(root))
    said, until = b"", time.monotonic() + 60
    while b" left" not in said and time.monotonic() < until:
        if select.select([terminal], [], [], 0.2)[0]:
            said += os.read(terminal, 65536)
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert b" left" in said
    assert os.waitstatus_to_exitcode(status) == 0
    assert len(list(folder.glob("s_iter*.solverstate"))) == 2
    assert any("Optimization Done." in log.read_text() for log in folder.glob("caffepy.*log.INFO.*"))
    assert (folder / "s_iter_200.caffemodel").exists()


def test_a_reader_of_the_log_that_goes(folder: Path, root: Path) -> None:
    command = [*python(), "-m", "caffepy", *TRAIN]
    with subprocess.Popen(command, cwd=folder, env=_environ(root), stderr=subprocess.PIPE) as job:
        assert job.stderr is not None
        job.stderr.readline()
        job.stderr.close()
        assert job.wait(60) == 0
    assert (folder / "s_iter_6.caffemodel").exists()
    assert re.match("s_iter_6", min(path.name for path in folder.glob("s_iter*")))


@pytest.mark.skipif(sys.platform != "linux", reason="a folder in use cannot be deleted everywhere")
@pytest.mark.parametrize("words", [("time", "-model", "net.prototxt"), ("train", "-solver", "solver.prototxt")])
def test_a_working_folder_that_was_deleted(tmp_path: Path, root: Path, words: tuple[str, ...]) -> None:
    program = "import os, sys; os.mkdir('a'); os.chdir('a'); os.rmdir('../a'); from caffepy.cli.main import caffe; caffe()"
    done = _run(tmp_path, root, "-c", program, *words, warm=False)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.endswith("the working folder has been deleted; needed: a folder that is there (cd to it again)")


LIMITED = """
import importlib, os, resource, sys
room, loaded = int(sys.argv[1]), sys.argv[2].split()
for name in loaded:
    importlib.import_module(name)
used = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGESIZE")
resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))
sys.argv[:3] = []
from caffepy.cli.main import tool
tool()
"""
"""A program for which ``ulimit -v`` leaves some bytes beyond what it and the given modules take."""
LARGE = """
layer { name: "z" type: "DummyData" top: "a" top: "b" dummy_data_param { shape { dim: 1000 dim: 1000 dim: 1000 } } }
layer { name: "loss" type: "EuclideanLoss" bottom: "a" bottom: "b" top: "loss" }
"""
TEST = ("caffe", "test", "-model", "net.prototxt", "-weights", "w.caffemodel", "-iterations", "1")
CONVERT = ("convert_imageset", "./", "list.txt", "db")


def _limited(folder: Path, root: Path, room: int, loaded: str, words: tuple[str, ...]) -> str:
    """The last line of a program that ends with one line about its memory."""
    (folder / "w.caffemodel").write_bytes(caffe_pb2.NetParameter(name="n").SerializeToString())
    (folder / "list.txt").write_text("large.png 0\n")
    done = _run(folder, root, "-c", LIMITED, str(room), loaded, *words, warm=False)  # it counts what is loaded
    assert done.returncode == 1, done.stderr
    *before, line = done.stderr.splitlines()
    assert line.startswith("F")
    assert not [other for other in before if re.match(r"[WEF]\d{4} |Traceback|terminate called", other)]
    return line


@pytest.mark.skipif(sys.platform != "linux", reason="ulimit -v, and what a process has, are Linux's")
@pytest.mark.parametrize(
    ("words", "library"), [(("caffe", *TRAIN), "torch"), (TEST, "torch"), (CONVERT, "numpy")], ids=["train", "test", "convert_imageset"]
)
def test_no_memory_for_libraries(folder: Path, root: Path, words: tuple[str, ...], library: str) -> None:
    """PyTorch's and OpenBLAS end the process where they find some memory, and not enough."""
    line = _limited(folder, root, 50_000_000, "caffepy.cli.main caffepy.proto.caffe_pb2", words)
    assert re.search(
        rf"not enough memory: the libraries of {library} take about \d+ MB, and \d+ MB are left; ulimit -v allows .* MB$", line
    )


@pytest.mark.skipif(sys.platform != "linux", reason="ulimit -v, and what a process has, are Linux's")
@pytest.mark.parametrize("words", [("caffe", *TRAIN), TEST], ids=["train", "test"])
def test_no_memory_for_a_net(folder: Path, root: Path, words: tuple[str, ...]) -> None:
    (folder / "net.prototxt").write_text(LARGE)
    line = _limited(folder, root, 1_000_000_000, "caffepy.solver.solver", words)
    said = (
        r"net\.prototxt:2:1: layer 'z' \(DummyData\): top . of shape \(1000, 1000, 1000\) takes 4\.0 of \d+\.\d GB needed; free: \d\.\d GB"
    )
    assert re.search(said, line)


@pytest.mark.skipif(sys.platform != "linux", reason="ulimit -v, and what a process has, are Linux's")
def test_no_memory_for_an_image(folder: Path, root: Path) -> None:
    """It is no bad image, which would be left out of the database."""
    (folder / "large.png").write_bytes(_large_png(24_000))
    line = _limited(folder, root, 1_000_000_000, "cv2 lmdb", CONVERT)
    assert re.search(
        r"not enough memory: \./large\.png: Failed to allocate 1728000000 bytes.*; ulimit -v allows this process \d+ MB$", line
    )
    assert not (folder / "db").exists()


def _large_png(side: int) -> bytes:
    """A black square of one bit a pixel: many pixels in a small file."""
    parts = [(b"IHDR", struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)), (b"IDAT", zlib.compress(bytes((1 + side // 8) * side)))]
    chunks = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in (*parts, (b"IEND", b""))
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
