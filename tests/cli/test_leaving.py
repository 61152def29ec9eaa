"""The end of a program."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.warm.start import python

LAYER = """
import atexit, multiprocessing, os, threading, time, caffe
def work():
    while True:
        time.sleep(0.1)
class L(caffe.Layer):
    def setup(self, bottom, top):
        atexit.register(print, "cleaned up")
        self.worker = {0}(target=work)
        self.worker.start()
        open("pid", "w").write(str(getattr(self.worker, "pid", os.getpid())))
    def reshape(self, bottom, top):
        top[0].reshape(1)
    def forward(self, bottom, top):
        {1}
"""
NET = 'layer { name: "p" type: "Python" top: "x" python_param { module: "worker" layer: "L" } }'


@pytest.mark.parametrize("worker", ["threading.Thread", 'multiprocessing.get_context("fork").Process'])
@pytest.mark.parametrize(("forward", "code"), [("pass", 0), ("raise ValueError('no more')", 1)])
def test_nobody_waits_for_the_workers_of_a_layer(worker: str, forward: str, code: int, tmp_path: Path, root: Path) -> None:
    if "fork" in worker and not hasattr(os, "fork"):
        pytest.skip("processes are not forked on this system")
    (tmp_path / "worker.py").write_text(LAYER.format(worker, forward))
    (tmp_path / "net.prototxt").write_text(NET)
    command = [*python(), "-m", "caffepy", "time", "-model", "net.prototxt", "-iterations", "1"]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join((str(root), str(root / "caffepy/pycaffe/shim"))))
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, "cleaned up" in done.stdout) == (code, True), done.stderr
    assert not alive(int((tmp_path / "pid").read_text()))


def alive(pid: int) -> bool:
    """Whether there is such a process, in a second's time at the latest."""
    for _ in range(10):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.1)
    return True


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [["--help"], ["summary", "net.prototxt"]])
def test_standard_output_that_is_full(words: list[str], tmp_path: Path, root: Path) -> None:
    (tmp_path / "net.prototxt").write_text('layer { name: "x" type: "Input" top: "x" input_param { shape { dim: 1 } } }')
    command, environment = [sys.executable, "-m", "caffepy", *words], dict(os.environ, PYTHONPATH=str(root), PYTHONUNBUFFERED="")
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=tmp_path, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.endswith("] output: No space left on device")
