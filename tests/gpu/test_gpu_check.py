"""``tools/dev/gpu_check`` comes to its end with few packages, and says what it has left out."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import torch

from tests.warm.start import program
from tools.bench.gpu.check import limited
from tools.bench.gpu.truth import ROOT, TRAININGS, captured_against_plain

ABSENT = ("lmdb", "plyvel", "onnx", "onnxruntime", "matplotlib", "tqdm", "pytest", "xdist", "hypothesis")
PROGRAM = f"""
import shutil, sys
from importlib.machinery import PathFinder

class Poor(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in {ABSENT} else super().find_spec(name, path, target)

found = shutil.which
shutil.which = lambda name, **more: None if name == "mpirun" else found(name, **more)
sys.meta_path[:] = [Poor if finder is PathFinder else finder for finder in sys.meta_path]
from tools.bench.gpu.check import main
sys.executable = sys.argv.pop(1)
sys.exit(main())
"""
"""Beside what it leaves out it is told what stands for Python where it starts others."""


@pytest.mark.timeout(600)
def test_it_comes_to_its_end() -> None:
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    options = ["lenet", "--every", "100", "--iterations", "2", "--batch", "2", "--block-s", "0.01", "--rounds", "1"]
    others = program() if hasattr(torch.cuda, "counts") else sys.executable  # a real GPU is not for forks
    environment = dict(os.environ, PYTHONPATH=path, CAFFEPY_GOLDEN=str(ROOT / "tests/golden"))  # fewer cases are sooner collected
    command = [sys.executable, "-c", PROGRAM, others, *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [line.partition("] ")[2] or line for line in done.stdout.splitlines()]
    assert any(line.startswith("recorded cases on the device: ") and "0 agree" not in line for line in lines)
    told = [line for line in lines if line.startswith("lenet") and "recorded against plain" in line]
    assert len(told) == 2
    assert not any("NOT RECORDED" in line or "FAILED" in line for line in told)
    (ranks,) = [line for line in lines if "2 ranks on one device" in line]
    assert "parameters" in ranks, ranks
    assert lines[-1] == "done"


@pytest.mark.parametrize("training", [training for training in TRAININGS if training.net in ("lenet", "quick")], ids=str)
def test_recorded_training_is_plain_training(training: object, gpu: object) -> None:
    found = captured_against_plain(training, gpu, iterations=4)
    assert found.missing == ""
    assert found.apart < 1e-3


def test_what_takes_too_long_is_ended() -> None:
    import time

    with pytest.raises(TimeoutError, match="not done after 0 s"), limited(0.05):
        time.sleep(5)
    with limited(0):
        time.sleep(0.01)
