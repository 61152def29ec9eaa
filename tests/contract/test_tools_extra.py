"""The scripts of tools/extra, run by name as people's scripts run them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LINES = ["0.5 Solving x", "1.5 Iteration 0, Testing net (#0)", "2.0     Test net output #0: acc = 0.5", "2.5 Iteration 0, loss = 2"]
LOG = "".join("I1127 20:47:0{} 1 solver.cpp:239] {}\n".format(*line.split(" ", 1)) for line in LINES)


def script(root: Path, folder: Path, name: str, *words: str, python: bool = False) -> subprocess.CompletedProcess[str]:
    path = str(root / "tools/extra" / name)
    env = dict(os.environ, CAFFEPY_PYTHON=sys.executable, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    command = [sys.executable, path] if python else [path]
    return subprocess.run([*command, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.log").write_text(LOG)
    return tmp_path


@pytest.mark.parametrize("python", [False, True])
def test_parse_log_py(python: bool, root: Path, folder: Path) -> None:
    (folder / "out").mkdir()
    done = script(root, folder, "parse_log.py", "a.log", "out", "--verbose", "--delimiter", " ", python=python)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Not writing out/a.log.train; no lines to write\nWrote out/a.log.test\n"
    assert (folder / "out/a.log.test").read_text().splitlines() == ["NumIters Seconds LearningRate acc", "0.0 1.5 nan 0.5"]


def test_parse_log_sh(root: Path, folder: Path) -> None:
    assert script(root, folder, "parse_log.sh", "a.log").returncode == 0
    assert (folder / "a.log.test").read_text().splitlines()[1].split() == ["0", "1.000000", "0.5"]
    assert (folder / "a.log.train").read_text().splitlines()[1].split() == ["0", "2.000000", "2"]
    assert "Usage parse_log.sh" in script(root, folder, "parse_log.sh").stdout


def test_extract_seconds(root: Path, folder: Path) -> None:
    assert script(root, folder, "extract_seconds.py", "a.log", "s.txt").returncode == 0
    assert (folder / "s.txt").read_text() == "1.000000\n2.000000\n"
    assert script(root, folder, "extract_seconds.py", "a.log").returncode == 1


@pytest.mark.parametrize("name", ["plot_training_log.py", "plot_training_log.py.example"])
def test_plot_training_log(name: str, root: Path, folder: Path) -> None:
    pytest.importorskip("matplotlib")
    assert script(root, folder, name, "6", "a.png", "a.log").returncode == 0
    assert (folder / "a.png").read_bytes().startswith(b"\x89PNG")
    done = script(root, folder, name, "8", "a.png", "a.log")
    assert (done.returncode, done.stderr.partition("] ")[2]) == (1, "8 is no valid chart type; needed: 0 to 7\n")


def test_summarize(root: Path, folder: Path) -> None:
    (folder / "net.prototxt").write_text('layer { name: "a" type: "ReLU" bottom: "x" top: "y" }')
    done = script(root, folder, "summarize.py", "net.prototxt")
    assert done.stdout.splitlines()[1].split() == ["a", "ReLU", "x", "->", "y"]


@pytest.mark.parametrize("name", ["parse_log.py", "summarize.py"])
def test_h_asks_for_help(name: str, root: Path, folder: Path) -> None:
    assert script(root, folder, name, "-h").stdout.startswith("usage: ")


def test_resize_and_crop_images(root: Path, folder: Path) -> None:
    import cv2
    import numpy as np

    (folder / "in").mkdir()
    cv2.imwrite(str(folder / "in/a.png"), np.zeros((4, 6, 3), np.uint8))
    (folder / "list.txt").write_text("a.png\n")
    words = ("--input=list.txt", "--input_folder=in/", "--output_folder=out/", "--output_side_length=3", "--num_clients=8")
    done = script(root, folder, "resize_and_crop_images.py", *words)
    assert done.returncode == 0, done.stderr
    image = cv2.imread(str(folder / "out/a.png"))
    assert image is not None
    assert image.shape == (3, 3, 3)
    assert script(root, folder, "resize_and_crop_images.py", "--input=list.txt").returncode == 1
    env = dict(os.environ, IMAGES="in", LIST="list.txt", OUT="squares", PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    launch = root / "tools/extra/launch_resize_and_crop_images.sh"
    assert subprocess.run([launch], cwd=folder, env=env, capture_output=True, timeout=60).returncode == 0
    assert (folder / "squares/a.png").exists()
