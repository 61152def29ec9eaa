"""``caffepy view``."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from caffepy.cli.main import run
from tests.report.logs import LOG
from tests.report.view.nets import DEPLOY, NET, data_in


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a net, a solver and two logs."""
    monkeypatch.chdir(tmp_path)
    Path("net.prototxt").write_text(NET)
    Path("deploy.prototxt").write_text(DEPLOY)
    Path("solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 5')
    Path("a.log").write_text(LOG)
    Path("b.log").write_text(LOG)
    return tmp_path


def test_a_net(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffepy", ["view", "deploy.prototxt"]) == 0
    assert capsys.readouterr() == ("view.html\n", "")
    data = data_in(Path("view.html").read_text(encoding="utf-8"))
    assert (data["title"], "training" in data, "weights" in data["net"]) == ("small", False, False)


def test_a_solver_and_trainings(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffepy", ["view", "a.log", "solver.prototxt", "b.log", "-out", "page.html"]) == 0
    out, err = capsys.readouterr()
    assert out == "page.html\n"
    assert "layer 'data' has no data here; assumed: data 4 x 3 x 12 x 12" in err
    data = data_in(Path("page.html").read_text(encoding="utf-8"))
    assert (data["title"], len(data["net"]["notes"])) == ("small", 1)
    assert [found["name"] for found in data["training"]["runs"]] == ["a", "b"]


def test_weights(capsys: pytest.CaptureFixture[str]) -> None:
    Path("solver.prototxt").write_text('net: "deploy.prototxt" base_lr: 0 lr_policy: "fixed" max_iter: 0 snapshot_prefix: "w"')
    assert run("caffepy", ["train", "-solver", "solver.prototxt"]) == 0
    assert run("caffepy", ["view", "deploy.prototxt", "-weights", "w_iter_0.caffemodel"]) == 0
    data = data_in(Path("view.html").read_text(encoding="utf-8"))
    assert [bool(known) for known in data["net"]["weights"]] == [False, True, False, True, False, True, False]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["net.prototxt", "deploy.prototxt"], "net.prototxt and deploy.prototxt are nets; needed: one net, and any number of logs"),
        (["a.log", "-weights", "w.caffemodel"], "-weights is for a net, and there is none; needed: its prototxt"),
        (["a.log", "a.log"], "a log is given twice"),
        (["deploy.prototxt", "-layer", "conv1"], "-layer conv1 shows feature maps; needed: also -image FILE or -record N"),
        (["deploy.prototxt", "-image", "a.png", "-record", "1"], "-image and -record are both given"),
        (["deploy.prototxt", "-image", "a.png", "-phase", "TRAIN"], "-phase TRAIN: feature maps are those of a net that predicts"),
        (["deploy.prototxt", "-serve"], "-serve follows a training; needed: its log, or its file of -metrics"),
        (["a.log", "-serve", "-out", "view.html"], "-serve writes no file, and -out view.html is given; needed: one of them"),
        (["deploy.prototxt", "-port", "8000"], "-port 8000 is for -serve; needed: both, or none of them"),
        (["deploy.prototxt", "-mean", "104"], "-mean 104 prepares a picture; needed: also -image FILE"),
        (["deploy.prototxt", "-record", "0", "-scale", "2"], "-scale 2 prepares a picture; needed: also -image FILE"),
        (["deploy.prototxt", "-image", "a.png", "-scale", "nan"], "-scale nan: needed: a number such as 0.00390625"),
        (
            ["deploy.prototxt", "-labels", "words.txt"],
            "-labels words.txt names the likeliest classes; needed: also -image FILE or -record N",
        ),
        (["deploy.prototxt", "-out", "deploy.prototxt"], "deploy.prototxt"),
        (["deploy.prototxt", "-weights", "none.caffemodel"], "none.caffemodel"),
        (["nothing.log"], "nothing.log: No such file or directory"),
        (["nothing.prototxt"], "nothing.prototxt"),
    ],
)
def test_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In one line, and without a page."""
    assert run("caffepy", ["view", *words]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not Path("view.html").exists()
    assert Path("deploy.prototxt").read_text() == DEPLOY


def test_labels_and_mean_are_not_written_over(capsys: pytest.CaptureFixture[str]) -> None:
    cv2.imwrite("a.png", np.zeros((12, 12, 3), np.uint8))
    Path("words.txt").write_text("cat\n")
    assert run("caffepy", ["view", "deploy.prototxt", "-image", "a.png", "-labels", "words.txt", "-out", "words.txt"]) == 1
    assert "words.txt would be overwritten, and it is what is read" in capsys.readouterr().err
    assert Path("words.txt").read_text() == "cat\n"
